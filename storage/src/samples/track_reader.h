// SPDX-License-Identifier: Apache-2.0
//
// Reading the tracks of one samples.db: finding one, walking its chunks, and what is in no full chunk yet. A
// track is addressed in two ways: by step, as callers do, and by position, 0 for its first sample, in which
// chunks and tiers are regular. Each call of those who use this is one short read transaction, `read`, so
// that what it sees is whole and the writer's log can be emptied; everything else here must be called within
// one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "batchscope/storage/samples.h"
#include "database/database.h"
#include "samples/chunk.h"
#include "samples/samples_schema.h"
#include "samples/tail.h"

namespace batchscope::storage {

inline constexpr auto kChunkWidth = static_cast<std::int64_t>(kChunkSamples);

// Orders samples by step, for searching.
inline bool is_before(const Sample& sample, std::int64_t step) { return sample.step < step; }

// One track within one transaction.
struct Track {
  std::int64_t id = 0;
  std::int64_t chunks = 0;         // full ones
  std::int64_t count = 0;          // samples in chunks
  bool is_miscounted = false;      // these have another number of them
  std::string name;                // for messages
  std::vector<Sample> unfinished;  // what follows the full chunks, by step, once it has been loaded
};

// A track without its samples.
struct TrackHeading {
  std::string series;
  int generation = 0;
  std::int64_t sealed = 0;       // samples in full chunks
  std::int64_t count = 0;        // samples
  bool is_tail_damaged = false;  // there may be more of them, which cannot be read
};

// Where a chunk begins.
struct ChunkStart {
  std::int64_t number = 0;
  std::int64_t first_step = 0;
};

class TrackReader {
 public:
  // Throws Error(not_found) where there is nothing yet.
  explicit TrackReader(const std::filesystem::path& file) : database_(file, samples_schema(), Access::read) {}

  template <class Body>
  auto read(Body&& body) {
    return database_.read(std::forward<Body>(body));
  }

  Database& database() { return database_; }

  // Rows of samples and summaries fetched so far.
  std::int64_t& rows_read() { return rows_read_; }

  // Returns the headings by series and generation.
  std::vector<TrackHeading> headings();

  std::optional<Track> find(std::string_view series, int generation);

  // The full chunks, ascending; headings are not checked, and one that is lost is not there.
  std::vector<ChunkStart> chunk_starts(const Track& track);

  [[noreturn]] void damaged(const Track& track, const std::string& where) const;
  [[noreturn]] void damaged(const Track& track, const Summary& summary) const;

  // Throws Error(corrupt) where they are not as they were packed.
  std::vector<Sample> samples_of(const Track& track, const StoredChunk& chunk) const;

  // The chunks [number, end), as long as visit(number, chunk) is true. Their headings are sound.
  template <class Visit>
  void for_each_chunk(const Track& track, std::int64_t number, std::int64_t end, Visit&& visit) {
    Query row = database_.query("SELECT " BATCHSCOPE_CHUNK_COLUMNS
                                ", number FROM chunk WHERE track = ? AND number >= ? ORDER BY number",
                                track.id, number);
    for (; number < end; ++number) {
      ++rows_read_;
      if (!row.next() || row.integer(kChunkColumnCount) != number)
        damaged(track, "samples from the " + std::to_string(number * kChunkWidth + 1) + "th on");
      const StoredChunk chunk = stored_chunk(row);
      if (!chunk.sound) damaged(track, chunk.chunk.summary);
      if (!visit(number, chunk)) return;
    }
  }

  // The last chunk that begins before the step: none before it can hold that step or a later one.
  std::int64_t chunk_before(const Track& track, std::int64_t step);

  // Samples of the steps [from, to].
  std::vector<Sample> read_steps(const Track& track, std::int64_t from, std::int64_t to);

  // Samples at the positions [begin, end).
  std::vector<Sample> read_positions(Track& track, std::int64_t begin, std::int64_t end);

  // Loads what the steps [from, to] have in no full chunk; more may come with it.
  void load_unfinished(Track& track, std::int64_t from, std::int64_t to);

  // Visits the samples at positions [begin, end) as visit(position, samples). What is not in full chunks must
  // have been loaded.
  template <class Visit>
  void visit_samples(const Track& track, std::int64_t begin, std::int64_t end, Visit&& visit) {
    const auto visit_part = [&](std::int64_t first, std::span<const Sample> samples) {
      const auto size = static_cast<std::int64_t>(samples.size());
      const std::int64_t from = std::clamp(begin - first, std::int64_t{0}, size);
      const std::int64_t to = std::clamp(end - first, from, size);
      visit(first + from,
            samples.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from)));
    };
    const std::int64_t sealed = track.chunks * kChunkWidth;
    for_each_chunk(track, begin / kChunkWidth, (std::min(end, sealed) + kChunkWidth - 1) / kChunkWidth,
                   [&](std::int64_t number, const StoredChunk& chunk) {
                     visit_part(number * kChunkWidth, samples_of(track, chunk));
                     return true;
                   });
    visit_part(sealed, track.unfinished);
  }

  void refresh_tail() { tail_.refresh(database_, rows_read_); }
  const Tail& tail() const { return tail_; }

 private:
  void add_tail(const Track& track, std::int64_t from, std::int64_t to, std::vector<Sample>& samples);

  Database database_;
  Tail tail_;
  std::int64_t rows_read_ = 0;
};

}  // namespace batchscope::storage
