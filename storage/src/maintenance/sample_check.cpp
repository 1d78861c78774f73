// SPDX-License-Identifier: Apache-2.0
//
// The check of a samples.db beyond SQLite's own: every row that has a checksum, and the count of each track,
// which has none and is the sum of what its chunks hold.
#include <fmt/core.h>

#include <map>

#include "batchscope/storage/maintenance.h"
#include "samples/samples_schema.h"
#include "samples/tier.h"

namespace batchscope::storage {
namespace {

class SampleCheck {
 public:
  explicit SampleCheck(const std::filesystem::path& file) : database_(file, samples_schema(), Access::read) {}

  SeriesCheck run() {
    return database_.read([&] {
      check_counts();
      check_rows(database_.query("SELECT " BATCHSCOPE_CHUNK_COLUMNS " FROM chunk"));
      check_rows(database_.query("SELECT " BATCHSCOPE_CHUNK_COLUMNS " FROM batch"));
      if (const std::int64_t damaged = damaged_tier_rows(database_); damaged > 0)
        found_.faults.push_back(
            fmt::format("{} rows of summaries are damaged; charts read the samples in their place", damaged));
      return std::move(found_);
    });
  }

 private:
  void check_counts() {
    Query row = database_.query(
        "SELECT track.id, series, generation, track.count, coalesce(sum(chunk.count), 0)"
        " FROM track LEFT JOIN chunk ON chunk.track = track.id GROUP BY track.id");
    while (row.next()) {
      const std::string& name = names_[row.integer(0)] =
          fmt::format("'{}' of generation {}", row.text(1), row.integer(2));
      if (row.integer(3) != row.integer(4))
        found_.faults.push_back(fmt::format("{} should have {} samples, but its chunks have {}", name,
                                            row.integer(3), row.integer(4)));
    }
  }

  void check_rows(Query row) {
    while (row.next()) {
      const StoredChunk stored = stored_chunk(row);
      const Summary& heading = stored.chunk.summary;
      if (const auto samples = stored.samples())
        found_.samples += static_cast<std::int64_t>(samples->size());
      else
        found_.faults.push_back(
            fmt::format("steps {} to {} of {} are damaged; the rest of the file can be read",
                        heading.first_step, heading.last_step, name_of(stored.chunk.track)));
      if (!names_.contains(stored.chunk.track))
        found_.faults.push_back(
            fmt::format("steps {} to {} belong to no series", heading.first_step, heading.last_step));
    }
  }

  std::string name_of(std::int64_t track) const {
    const auto found = names_.find(track);
    return found == names_.end() ? "a series that is not listed" : found->second;
  }

  Database database_;
  std::map<std::int64_t, std::string> names_;  // of tracks
  SeriesCheck found_;
};

}  // namespace

SeriesCheck check_series(const std::filesystem::path& file) { return SampleCheck(file).run(); }

}  // namespace batchscope::storage
