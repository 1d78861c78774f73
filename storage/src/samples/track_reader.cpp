// SPDX-License-Identifier: Apache-2.0
#include "samples/track_reader.h"

#include <fmt/core.h>

#include "batchscope/protocol/error.h"

namespace batchscope::storage {
namespace {

// More than any run has; positions are computed from counts up to here.
constexpr std::int64_t kMostSamples = std::int64_t{1} << 53;

bool is_count(std::int64_t count) { return count >= 0 && count < kMostSamples; }

bool after(std::int64_t step, const Sample& sample) { return step < sample.step; }

}  // namespace

std::vector<TrackHeading> TrackReader::headings() {
  refresh_tail();
  std::vector<TrackHeading> list;
  Query row = database_.query("SELECT series, generation, id, count, " BATCHSCOPE_COUNT_BY_CHUNKS
                              " FROM track ORDER BY series, generation");
  while (row.next()) {
    ++rows_read_;
    const std::int64_t in_chunks = is_count(row.integer(3)) ? row.integer(3) : 0;
    list.push_back({row.text(0), row.small_integer(1), in_chunks / kChunkWidth * kChunkWidth,
                    in_chunks + tail_.count(row.integer(2)),
                    tail_.has_unknown() || row.integer(3) != row.integer(4)});
  }
  return list;
}

std::optional<Track> TrackReader::find(std::string_view series, int generation) {
  Query row = database_.query("SELECT id, count, " BATCHSCOPE_COUNT_BY_CHUNKS
                              " FROM track WHERE series = ? AND generation = ?",
                              series, generation);
  ++rows_read_;
  if (!row.next()) return std::nullopt;
  Track track;
  track.id = row.integer(0);
  track.count = row.integer(1);
  track.chunks = track.count / kChunkWidth;
  track.is_miscounted = row.integer(1) != row.integer(2);
  track.name = fmt::format("'{}' of generation {}", series, generation);
  if (!is_count(track.count)) damaged(track, "all samples");
  return track;
}

std::vector<ChunkStart> TrackReader::chunk_starts(const Track& track) {
  std::vector<ChunkStart> starts;
  // Reads the index alone: the chunks' own rows are 8 KB each.
  Query row = database_.query(
      "SELECT number, first_step FROM chunk INDEXED BY chunk_by_step WHERE track = ?"
      " ORDER BY first_step, number",
      track.id);
  while (row.next())
    if (row.integer(0) < track.chunks) starts.push_back({row.integer(0), row.integer(1)});
  return starts;
}

void TrackReader::damaged(const Track& track, const std::string& where) const {
  throw Error(ErrorKind::corrupt, database_.file().string() + ": " + where + " of " + track.name +
                                      " are damaged; the rest of the file can be read");
}

void TrackReader::damaged(const Track& track, const Summary& summary) const {
  damaged(track, fmt::format("steps {} to {}", summary.first_step, summary.last_step));
}

std::vector<Sample> TrackReader::samples_of(const Track& track, const StoredChunk& chunk) const {
  auto samples = chunk.samples();
  if (!samples) damaged(track, chunk.chunk.summary);
  return *std::move(samples);
}

std::int64_t TrackReader::chunk_before(const Track& track, std::int64_t step) {
  Query row = database_.query(
      "SELECT number FROM chunk WHERE track = ? AND first_step < ?"
      " ORDER BY first_step DESC, number DESC LIMIT 1",
      track.id, step);
  ++rows_read_;
  if (!row.next()) return 0;
  const std::int64_t number = row.integer(0);
  if (number * kChunkWidth >= track.count) damaged(track, fmt::format("samples around step {}", step));
  return number;
}

// Damage to other steps than these does not matter.
void TrackReader::add_tail(const Track& track, std::int64_t from, std::int64_t to,
                           std::vector<Sample>& samples) {
  if (tail_.has_unknown() || track.is_miscounted) damaged(track, "the newest samples");
  for (const Batch& batch : tail_.batches(track.id)) {
    if (batch.samples)
      samples.insert(samples.end(), batch.samples->begin(), batch.samples->end());
    else if (batch.summary.last_step >= from && batch.summary.first_step <= to)
      damaged(track, batch.summary);
  }
  sort_by_step(samples);
}

std::vector<Sample> TrackReader::read_steps(const Track& track, std::int64_t from, std::int64_t to) {
  std::vector<Sample> samples;
  bool more = true;  // steps in range may follow the chunks
  const std::int64_t chunks = (track.count + kChunkWidth - 1) / kChunkWidth;
  for_each_chunk(track, chunk_before(track, from), chunks, [&](std::int64_t, const StoredChunk& chunk) {
    more = chunk.chunk.summary.first_step <= to;
    if (!more || chunk.chunk.summary.last_step < from) return more;
    const std::vector<Sample> found = samples_of(track, chunk);
    samples.insert(samples.end(), found.begin(), found.end());
    return true;
  });
  if (more) add_tail(track, from, to, samples);
  samples.erase(std::upper_bound(samples.begin(), samples.end(), to, after), samples.end());
  samples.erase(samples.begin(), std::lower_bound(samples.begin(), samples.end(), from, is_before));
  return samples;
}

std::vector<Sample> TrackReader::read_positions(Track& track, std::int64_t begin, std::int64_t end) {
  if (end > track.chunks * kChunkWidth) load_unfinished(track, INT64_MIN, INT64_MAX);
  std::vector<Sample> found;
  visit_samples(track, begin, end, [&](std::int64_t, std::span<const Sample> samples) {
    found.insert(found.end(), samples.begin(), samples.end());
  });
  return found;
}

void TrackReader::load_unfinished(Track& track, std::int64_t from, std::int64_t to) {
  if (track.count > track.chunks * kChunkWidth)
    for_each_chunk(track, track.chunks, track.chunks + 1, [&](std::int64_t, const StoredChunk& chunk) {
      if (chunk.chunk.summary.first_step <= to && chunk.chunk.summary.last_step >= from)
        track.unfinished = samples_of(track, chunk);
      return false;
    });
  add_tail(track, from, to, track.unfinished);
}

}  // namespace batchscope::storage
