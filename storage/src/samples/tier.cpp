// SPDX-License-Identifier: Apache-2.0
#include "samples/tier.h"

#include <algorithm>
#include <optional>

#include "batchscope/protocol/bytes.h"
#include "samples/chunk.h"

namespace batchscope::storage {
namespace {

using protocol::put;

std::uint32_t checksum(std::int64_t track, int level, std::int64_t number, std::string_view data) {
  std::string header;
  put(header, track);
  put(header, static_cast<std::int64_t>(level));
  put(header, number);
  return crc32(data, crc32(header));
}

void put_row(Database& database, std::int64_t track, int level, std::int64_t number,
             const std::string& data) {
  database.execute(
      "INSERT OR REPLACE INTO tier (track, level, number, checksum, data) VALUES (?, ?, ?, ?, ?)", track,
      level, number, checksum(track, level, number, data), Blob{data});
}

// Returns the content of the row; none where it fails its check.
std::optional<std::string> get_row(Database& database, std::int64_t track, int level, std::int64_t number) {
  Query row = database.query("SELECT checksum, data FROM tier WHERE track = ? AND level = ? AND number = ?",
                             track, level, number);
  if (!row.next()) return "";
  std::string data(row.blob(1));
  if (static_cast<std::uint32_t>(row.integer(0)) != checksum(track, level, number, data)) return std::nullopt;
  return data;
}

// The summary with this index in its level, by carrying.
void append(Database& database, std::int64_t track, int level, std::int64_t index, const Summary& summary) {
  if (level > kTopLevel) return;
  const std::int64_t number = index / kFanOut;
  std::optional<std::string> data = get_row(database, track, level, number);
  const auto slot = static_cast<std::size_t>(index % kFanOut);
  if (!data || data->size() != slot * kSummaryBytes) return;  // damaged: readers do without it
  put_summary(*data, summary);
  put_row(database, track, level, number, *data);
  if (slot + 1 == kFanOut) append(database, track, level + 1, number, summarize(get_summaries(*data)));
}

}  // namespace

void seal_chunk(Database& database, std::int64_t track, std::int64_t number,
                std::span<const Sample> samples) {
  constexpr auto kWidth = static_cast<std::size_t>(summary_width(1));
  std::string data;
  for (std::size_t at = 0; at < samples.size(); at += kWidth)
    put_summary(data, summarize(samples.subspan(at, kWidth)));
  put_row(database, track, 1, number, data);
  append(database, track, 2, number, summarize(get_summaries(data)));
}

std::vector<Summary> read_tier(Database& database, std::int64_t track, int level, std::int64_t begin,
                               std::int64_t end, std::int64_t& rows_read) {
  const std::int64_t width = summary_width(level);
  const std::int64_t first = begin / width, last = end / width;
  std::vector<Summary> summaries(static_cast<std::size_t>(last - first));
  Query row = database.query(
      "SELECT number, checksum, data FROM tier WHERE track = ? AND level = ? AND number BETWEEN ? AND ?",
      track, level, first / kFanOut, (last - 1) / kFanOut);
  while (row.next()) {
    ++rows_read;
    const std::int64_t number = row.integer(0);
    const std::string_view data = row.blob(2);
    if (static_cast<std::uint32_t>(row.integer(1)) != checksum(track, level, number, data)) continue;
    const std::vector<Summary> found = get_summaries(data);
    for (std::size_t slot = 0; slot < found.size(); ++slot) {
      const std::int64_t index = number * kFanOut + static_cast<std::int64_t>(slot);
      if (index >= first && index < last) summaries[static_cast<std::size_t>(index - first)] = found[slot];
    }
  }
  return summaries;
}

std::int64_t damaged_tier_rows(Database& database) {
  std::int64_t damaged = 0;
  Query row = database.query("SELECT track, level, number, checksum, data FROM tier");
  while (row.next())
    damaged += static_cast<std::uint32_t>(row.integer(3)) !=
               checksum(row.integer(0), row.small_integer(1), row.integer(2), row.blob(4));
  return damaged;
}

}  // namespace batchscope::storage
