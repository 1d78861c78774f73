// SPDX-License-Identifier: Apache-2.0
//
// Entries are of one size, so the one of a time is found by bisection in the file.
#include "log/log_times.h"

#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "batchscope/protocol/private_files.h"
#include "batchscope/run/log_times.h"

namespace batchscope::run {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little);

struct Entry {
  double time = 0;
  std::int64_t size = 0;
};
static_assert(sizeof(Entry) == 16);

fs::path times_of(const fs::path& log) { return log.string() + ".times"; }

std::int64_t size_of(const fs::path& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  return error ? 0 : static_cast<std::int64_t>(size);
}

// The start of the line that the offset is in.
std::int64_t line_start(const fs::path& log, std::int64_t offset) {
  std::ifstream in(log, std::ios::binary);
  std::array<char, 4096> block;
  while (offset > 0) {
    const auto length = std::min<std::int64_t>(offset, block.size());
    in.seekg(offset - length);
    if (!in.read(block.data(), length)) return 0;
    const std::string_view text(block.data(), static_cast<std::size_t>(length));
    if (const auto newline = text.rfind('\n'); newline != std::string_view::npos)
      return offset - length + static_cast<std::int64_t>(newline) + 1;
    offset -= length;
  }
  return 0;
}

}  // namespace

void LogTimes::note(const fs::path& log, double time) {
  const std::int64_t size = size_of(log);
  std::int64_t& before = sizes_[log];
  if (size == before) return;
  const Entry entry{time, size};
  protocol::make_private_file(times_of(log));
  std::ofstream out(times_of(log), std::ios::binary | std::ios::app);
  out.write(reinterpret_cast<const char*>(&entry), sizeof entry);
  if (out.flush()) before = size;
}

namespace {

// The first of the entries, which ascend, for which `is_late` holds, and the one before it (zeros where there
// is none); nothing where the file cannot be read.
template <class IsLate>
std::optional<std::pair<Entry, std::optional<Entry>>> bisect(const fs::path& file, IsLate is_late) {
  std::ifstream in(file, std::ios::binary);
  Entry before;
  std::optional<Entry> found;
  std::int64_t first = 0, end = size_of(file) / static_cast<std::int64_t>(sizeof(Entry));
  while (first < end) {
    const std::int64_t middle = first + (end - first) / 2;
    Entry entry;
    in.seekg(middle * static_cast<std::int64_t>(sizeof entry));
    if (!in.read(reinterpret_cast<char*>(&entry), sizeof entry)) return {};
    if (is_late(entry)) {
      found = entry;
      end = middle;
    } else {
      before = entry;
      first = middle + 1;
    }
  }
  return std::pair(before, found);
}

}  // namespace

std::int64_t log_offset(const fs::path& log, double time) {
  const auto around = bisect(times_of(log), [time](const Entry& entry) { return entry.time >= time; });
  return around ? line_start(log, around->first.size) : 0;
}

std::optional<double> log_time(const fs::path& log, std::int64_t offset) {
  const auto around = bisect(times_of(log), [offset](const Entry& entry) { return entry.size > offset; });
  if (!around || !around->second) return {};
  return around->second->time;
}

}  // namespace batchscope::run
