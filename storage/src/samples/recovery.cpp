// SPDX-License-Identifier: Apache-2.0
//
// Saving what can be read of a damaged samples.db. Rows are visited by rowid; where SQLite meets a page that
// is none, the search goes on at the next rowid behind it. A row counts when it passes its own checksums, so
// nothing that comes out of a broken file is taken on trust. Chunks of a track ascend by rowid as they do by
// number, and batches follow the chunks, so everything comes in the order in which it was recorded.
#include <SQLiteCpp/Database.h>

#include <map>
#include <optional>
#include <string>

#include "batchscope/protocol/error.h"
#include "batchscope/storage/annotation.h"
#include "batchscope/storage/samples.h"
#include "samples/samples_schema.h"

namespace batchscope::storage {
namespace {

namespace fs = std::filesystem;

// Rowids in a row that cannot be read until the rest is given up. A page holds a few hundred at most.
constexpr int kMostMisses = 100'000;
constexpr std::int64_t kValuesPerCommit = 65'536;

struct TrackName {
  std::string series;
  int generation = 0;
};

// `sql` selects the rows above a rowid, ascending, with the rowid in the last of its `columns`.
template <class Visit>
void for_each_readable(SQLite::Database& connection, const char* sql, int columns, Visit&& visit) {
  std::optional<SQLite::Statement> statement;
  try {
    statement.emplace(connection, sql);
  } catch (const SQLite::Exception&) {
    return;  // no database, or not even the list of its tables
  }
  std::int64_t at = 0;
  for (int misses = 0; misses < kMostMisses; ++misses, ++at) try {
      statement->bind(1, at);
      Query row(*statement);
      while (row.next()) {
        at = row.integer(columns - 1);
        misses = 0;
        visit(row);
      }
      return;
    } catch (const SQLite::Exception&) {
      // The page that holds the next row, or one that leads there.
    }
}

class Recovery {
 public:
  Recovery(const fs::path& damaged, const fs::path& file)
      : damaged_(damaged.string(), SQLite::OPEN_READONLY, kBusyTimeoutMs), writer_(file) {}

  std::int64_t run() {
    for_each_readable(
        damaged_, "SELECT series, generation, id FROM track WHERE id > ? ORDER BY id", 3,
        [&](const Query& row) {
          tracks_[row.integer(2)] = {recordable(row.text(0), row.integer(2)), row.small_integer(1)};
        });
    const auto take = [&](const Query& row) { this->take(row); };
    for_each_readable(damaged_,
                      "SELECT " BATCHSCOPE_CHUNK_COLUMNS ", rowid FROM chunk WHERE rowid > ? ORDER BY rowid",
                      kChunkColumnCount + 1, take);
    for_each_readable(damaged_,
                      "SELECT " BATCHSCOPE_CHUNK_COLUMNS ", rowid FROM batch WHERE rowid > ? ORDER BY rowid",
                      kChunkColumnCount + 1, take);
    writer_.commit();
    return saved_;
  }

 private:
  // The series' name, or one of ours where the writer would not have it.
  static std::string recordable(const std::string& series, std::int64_t track) {
    const bool is_name = !series.empty() && series.size() <= kLongestSeries;
    return is_name ? series : "recovered/" + std::to_string(track);
  }

  void take(const Query& row) {
    const StoredChunk stored = stored_chunk(row);
    const auto samples = stored.samples();
    if (!samples) return;
    const auto known = tracks_.find(stored.chunk.track);
    const TrackName name =
        known != tracks_.end() ? known->second : TrackName{recordable({}, stored.chunk.track), 0};
    for (const Sample& sample : *samples) try {
        writer_.append(name.generation, name.series, sample.step, sample.value);
        ++saved_;
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::usage) throw;  // out of order: the file lies
      }
    waiting_ += static_cast<std::int64_t>(samples->size());
    if (waiting_ < kValuesPerCommit) return;
    writer_.commit();
    waiting_ = 0;
  }

  SQLite::Database damaged_;
  SampleWriter writer_;
  std::map<std::int64_t, TrackName> tracks_;
  std::int64_t saved_ = 0, waiting_ = 0;
};

}  // namespace

std::int64_t recover_samples(const fs::path& damaged, const fs::path& file) {
  try {
    return Recovery(damaged, file).run();
  } catch (const SQLite::Exception& e) {
    throw_error(damaged, e);
  }
}

}  // namespace batchscope::storage
