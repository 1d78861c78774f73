// SPDX-License-Identifier: Apache-2.0
//
// Recording. What is appended waits in memory (pending) until commit, which adds it to the table `batch`
// as one small row per series (the tail): cheap to write, whatever came in. When the tail has grown to
// its limit, a commit rewrites it per series instead: each track's last, unfinished chunk, its batches
// and what is pending are cut into chunks of 1,024, the full ones are sealed into the tiers, and the
// batches are gone. A commit that fails, on a full disk, leaves everything in memory as it was, where it
// waits for the next one up to a limit. So a reader finds at most kTailRows rows besides the chunks. Values
// may come in any order of steps as far back as the last sealed chunk.
#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/storage/annotation.h"
#include "batchscope/storage/catalogue.h"
#include "batchscope/storage/samples.h"
#include "database/database.h"
#include "database/folder_lock.h"
#include "samples/chunk.h"
#include "samples/samples_schema.h"
#include "samples/tier.h"

namespace batchscope::storage {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTailRows = 4096;
constexpr std::size_t kTailValues = 65536;

struct WrittenTrack {
  std::int64_t id = 0;
  bool stored = false;
  std::int64_t count = 0;                                               // samples in chunks
  std::int64_t sealed_step = std::numeric_limits<std::int64_t>::min();  // last of the full chunks
  std::vector<Sample> tail;                                             // in batches
  std::vector<Sample> pending;                                          // not committed yet
};

// A track as it will be when the transaction that rewrites it has been committed.
struct Rewritten {
  WrittenTrack* track;
  std::int64_t count;
  std::int64_t sealed_step;
};

// A log left behind means that its writer was killed: whoever closes in order empties it.
bool has_leftover_log(const fs::path& file) {
  std::error_code error;
  const auto size = fs::file_size(file.string() + "-wal", error);
  return !error && size > 0;
}

fs::path folder_of(const fs::path& file) { return fs::absolute(file).parent_path(); }

}  // namespace

struct SampleWriter::Impl {
  Impl(const fs::path& file, std::size_t most_waiting)
      : most_waiting(most_waiting),
        lock(folder_of(file)),
        unclean(has_leftover_log(file)),
        database(file, samples_schema(), Access::write) {
    if (unclean) database.quick_check();
    database.write([&] {
      load_tracks();
      load_tail();
    });
  }

  ~Impl() {
    try {
      if (tail_rows + pending_values > 0) rewrite();
    } catch (const std::exception&) {
      // Nobody is left to be told; what was committed is safe.
    }
    database.checkpoint();
  }

  void load_tracks() {
    Query row = database.query(
        "SELECT track.id, series, generation, track.count, last_step, " BATCHSCOPE_COUNT_BY_CHUNKS
        " FROM track"
        " LEFT JOIN chunk ON chunk.track = track.id AND chunk.number = track.count / 1024 - 1");
    while (row.next()) {
      if (row.integer(3) != row.integer(5))  // what is added would take the place of what is there
        throw Error(ErrorKind::corrupt,
                    fmt::format("{} is damaged: '{}' of generation {} has {} samples, but should have {}",
                                database.file().string(), row.text(1), row.integer(2), row.integer(5),
                                row.integer(3)));
      WrittenTrack& track = tracks[row.small_integer(2)][row.text(1)];
      track.id = row.integer(0);
      track.stored = true;
      track.count = row.integer(3);
      if (!row.null(4)) track.sealed_step = row.integer(4);
      next_track = std::max(next_track, track.id + 1);
    }
  }

  void load_tail() {
    std::map<std::int64_t, WrittenTrack*> by_id;
    for (auto& [generation, series] : tracks)
      for (auto& [name, track] : series) by_id[track.id] = &track;
    std::vector<std::int64_t> bad;
    {
      Query row = database.query("SELECT " BATCHSCOPE_CHUNK_COLUMNS ", id FROM batch ORDER BY id");
      while (row.next()) {
        const StoredChunk batch = stored_chunk(row);
        const auto samples = batch.samples();
        const auto track = by_id.find(batch.chunk.track);
        if (!samples || track == by_id.end()) {
          bad.push_back(row.integer(kChunkColumnCount));
          repairs.push_back(set_aside_text(batch.chunk));
          continue;
        }
        std::vector<Sample>& tail = track->second->tail;
        tail.insert(tail.end(), samples->begin(), samples->end());
        tail_values += samples->size();
        ++tail_rows;
      }
    }
    for (const std::int64_t id : bad) {
      database.execute("INSERT INTO damaged (found, " BATCHSCOPE_CHUNK_COLUMNS
                       ") SELECT ?, " BATCHSCOPE_CHUNK_COLUMNS " FROM batch WHERE id = ?",
                       now(), id);
      database.execute("DELETE FROM batch WHERE id = ?", id);
    }
  }

  WrittenTrack& track(int generation, std::string_view series) {
    auto& names = tracks[generation];
    auto found = names.find(series);
    if (found == names.end()) {
      found = names.emplace(series, WrittenTrack{}).first;
      found->second.id = next_track++;
    }
    return found->second;
  }

  std::string name(std::int64_t id) const {
    for (const auto& [generation, series] : tracks)
      for (const auto& [name, track] : series)
        if (track.id == id) return fmt::format("'{}' of generation {}", name, generation);
    return "a series that is not listed";
  }

  std::string set_aside_text(const Chunk& chunk) const {
    return fmt::format("{}: steps {} to {} of {} are damaged; they were set aside in the table 'damaged'",
                       database.file().string(), chunk.summary.first_step, chunk.summary.last_step,
                       name(chunk.track));
  }

  void append(int generation, std::string_view series, std::int64_t first_step,
              std::span<const double> values) {
    if (values.empty()) return;
    check_series(series);
    WrittenTrack& to = track(generation, series);
    if (first_step < to.sealed_step)
      throw Error(ErrorKind::usage,
                  fmt::format("series '{}': step {} comes too late, generation {} is sealed up to step {}",
                              series, first_step, generation, to.sealed_step));
    if (failing && pending_values + values.size() > most_waiting) {
      dropped += static_cast<std::int64_t>(values.size());
      return;
    }
    for (const double value : values) to.pending.push_back({first_step++, value});
    pending_values += values.size();
  }

  void commit() {
    failing = true;
    commit_pending();
    failing = false;
  }

  void commit_pending() {
    if (pending_values == 0) return;
    std::vector<WrittenTrack*> changed;
    for_each([&](WrittenTrack& track) {
      if (!track.pending.empty()) changed.push_back(&track);
    });
    if (tail_rows + changed.size() > kTailRows || tail_values + pending_values > kTailValues) {
      rewrite();
      return;
    }
    database.write([&] {
      store_tracks();
      for (WrittenTrack* track : changed) {
        sort_by_step(track->pending);
        insert_batch(pack(track->id, track->pending));
      }
    });
    for (WrittenTrack* track : changed) {
      track->stored = true;
      track->tail.insert(track->tail.end(), track->pending.begin(), track->pending.end());
      track->pending.clear();
    }
    tail_rows += changed.size();
    tail_values += std::exchange(pending_values, 0);
  }

  // The tail and what is pending become chunks.
  void rewrite() {
    std::vector<Rewritten> rewritten;
    std::vector<std::string> found;
    database.write([&] {
      store_tracks();
      for_each([&](WrittenTrack& track) {
        if (!track.tail.empty() || !track.pending.empty()) rewritten.push_back(rewrite(track, found));
      });
      database.execute("DELETE FROM batch");
    });
    for (const Rewritten& done : rewritten) {
      done.track->stored = true;
      done.track->count = done.count;
      done.track->sealed_step = done.sealed_step;
      done.track->tail.clear();
      done.track->pending.clear();
    }
    repairs.insert(repairs.end(), found.begin(), found.end());
    tail_rows = tail_values = pending_values = 0;
  }

  Rewritten rewrite(WrittenTrack& track, std::vector<std::string>& found) {
    Rewritten result{&track, track.count, track.sealed_step};
    std::int64_t number = track.count / static_cast<std::int64_t>(kChunkSamples);
    std::vector<Sample> samples = unfinished_chunk(track, number, found);
    samples.insert(samples.end(), track.tail.begin(), track.tail.end());
    samples.insert(samples.end(), track.pending.begin(), track.pending.end());
    sort_by_step(samples);
    result.count =
        number * static_cast<std::int64_t>(kChunkSamples) + static_cast<std::int64_t>(samples.size());
    for (std::span<const Sample> rest = samples; !rest.empty(); ++number) {
      const std::span<const Sample> part = rest.first(std::min(rest.size(), kChunkSamples));
      put_chunk(number, pack(track.id, part));
      if (part.size() == kChunkSamples) {
        seal_chunk(database, track.id, number, part);
        result.sealed_step = part.back().step;
      }
      rest = rest.subspan(part.size());
    }
    database.execute("UPDATE track SET count = ? WHERE id = ?", result.count, track.id);
    return result;
  }

  std::vector<Sample> unfinished_chunk(const WrittenTrack& track, std::int64_t number,
                                       std::vector<std::string>& found) {
    StoredChunk chunk;
    {
      Query row = database.query(
          "SELECT " BATCHSCOPE_CHUNK_COLUMNS " FROM chunk WHERE track = ? AND number = ?", track.id, number);
      if (!row.next()) return {};
      chunk = stored_chunk(row);
    }
    if (auto samples = chunk.samples()) return *std::move(samples);
    database.execute("INSERT INTO damaged (found, " BATCHSCOPE_CHUNK_COLUMNS
                     ") SELECT ?, " BATCHSCOPE_CHUNK_COLUMNS " FROM chunk WHERE track = ? AND number = ?",
                     now(), track.id, number);
    found.push_back(set_aside_text(chunk.chunk));
    return {};
  }

  void store_tracks() {
    for (auto& [generation, series] : tracks)
      for (auto& [name, track] : series)
        if (!track.stored && !track.pending.empty())
          database.execute("INSERT INTO track (id, series, generation, count) VALUES (?, ?, ?, 0)", track.id,
                           name, generation);
  }

  void insert_batch(const Chunk& chunk) {
    const Summary& summary = chunk.summary;
    database.execute(
        "INSERT INTO batch (" BATCHSCOPE_CHUNK_COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        chunk.track, summary.first_step, summary.last_step, summary.count, summary.min, summary.max,
        summary.mean, chunk.checksum(), chunk.data_checksum, Blob{chunk.steps}, Blob{chunk.values});
  }

  void put_chunk(std::int64_t number, const Chunk& chunk) {
    const Summary& summary = chunk.summary;
    database.execute("INSERT OR REPLACE INTO chunk (" BATCHSCOPE_CHUNK_COLUMNS
                     ", number) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                     chunk.track, summary.first_step, summary.last_step, summary.count, summary.min,
                     summary.max, summary.mean, chunk.checksum(), chunk.data_checksum, Blob{chunk.steps},
                     Blob{chunk.values}, number);
  }

  template <class Visit>
  void for_each(Visit&& visit) {
    for (auto& [generation, series] : tracks)
      for (auto& [name, track] : series) visit(track);
  }

  const std::size_t most_waiting;
  bool failing = false;  // the newest commit did
  std::int64_t dropped = 0;
  FolderLock lock;
  bool unclean;
  Database database;
  std::map<int, std::map<std::string, WrittenTrack, std::less<>>> tracks;
  std::int64_t next_track = 1;
  std::size_t tail_rows = 0;
  std::size_t tail_values = 0;
  std::size_t pending_values = 0;
  std::vector<std::string> repairs;
};

SampleWriter::SampleWriter(const fs::path& file, std::size_t most_waiting)
    : impl_(std::make_unique<Impl>(file, most_waiting)) {}

SampleWriter::~SampleWriter() = default;

void SampleWriter::append(int generation, std::string_view series, std::int64_t first_step,
                          std::span<const double> values) {
  impl_->append(generation, series, first_step, values);
}

void SampleWriter::append(int generation, std::string_view series, std::int64_t step, double value) {
  impl_->append(generation, series, step, std::span(&value, 1));
}

void SampleWriter::commit() { impl_->commit(); }

std::int64_t SampleWriter::dropped() const { return impl_->dropped; }

const std::vector<std::string>& SampleWriter::repairs() const { return impl_->repairs; }

}  // namespace batchscope::storage
