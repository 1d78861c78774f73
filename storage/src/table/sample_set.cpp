// SPDX-License-Identifier: Apache-2.0
#include "table/sample_set.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "batchscope/protocol/error.h"

namespace batchscope::storage {
namespace {

constexpr std::size_t kMostOpen = 64;  // files; SQLite takes up to three descriptors for each
constexpr std::int64_t kChunksAhead = 16;

std::size_t below(std::span<const Sample> samples, std::int64_t step) {
  const auto place = std::lower_bound(samples.begin(), samples.end(), step,
                                      [](const Sample& sample, std::int64_t at) { return sample.step < at; });
  return static_cast<std::size_t>(place - samples.begin());
}

constexpr std::uint64_t key_of(std::size_t track, std::int64_t number) {
  return static_cast<std::uint64_t>(track) << 40 | static_cast<std::uint64_t>(number);
}

}  // namespace

SampleSet::Samples SampleSet::Cache::find(std::size_t track, std::int64_t number) {
  const auto found = places_.find(key_of(track, number));
  if (found == places_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return entries_.front().samples;
}

SampleSet::Samples SampleSet::Cache::keep(std::size_t track, std::int64_t number,
                                          std::vector<Sample>&& samples) {
  if (Samples known = find(track, number)) return known;
  const std::uint64_t key = key_of(track, number);
  size_ += samples.size();
  entries_.push_front({key, std::make_shared<const std::vector<Sample>>(std::move(samples))});
  places_[key] = entries_.begin();
  while (size_ > most_ && entries_.size() > 1) {
    size_ -= entries_.back().samples->size();
    places_.erase(entries_.back().key);
    entries_.pop_back();
  }
  return entries_.front().samples;
}

void SampleSet::Cache::clear() {
  entries_.clear();
  places_.clear();
  size_ = 0;
}

SampleSet::SampleSet(const SampleFiles& files, std::size_t most_cached) : cache_(most_cached) {
  for (const auto& [id, file] : files) runs_.push_back({id, file});
}

void SampleSet::forget() {
  is_known_ = false;
  tracks_.clear();
  run_of_track_.clear();
  steps_.clear();
  cache_.clear();
}

const std::vector<SampleSet::RunTrack>& SampleSet::tracks() {
  if (is_known_) return tracks_;
  forget();  // what a failure has left
  for (std::size_t run = 0; run < runs_.size(); ++run) {
    runs_[run].first_track = tracks_.size();
    TrackReader& from = reader(run);
    const std::int64_t before = from.rows_read();
    for (TrackHeading& heading : from.read([&] { return from.headings(); })) {
      tracks_.push_back({std::move(heading), &runs_[run].id});
      run_of_track_.push_back(run);
    }
    rows_read_ += from.rows_read() - before;
  }
  steps_.resize(tracks_.size());
  is_known_ = true;
  return tracks_;
}

std::optional<std::size_t> SampleSet::find_run(std::string_view id) const {
  const auto found =
      std::lower_bound(runs_.begin(), runs_.end(), id,
                       [](const RunFile& run, std::string_view name) { return run.id < name; });
  if (found == runs_.end() || found->id != id) return std::nullopt;
  return static_cast<std::size_t>(found - runs_.begin());
}

SampleSet::Range SampleSet::tracks_of(std::size_t run) {
  const std::size_t count = tracks().size();
  return {runs_[run].first_track, run + 1 < runs_.size() ? runs_[run + 1].first_track : count};
}

SampleSet::Range SampleSet::tracks_of(std::size_t run, std::string_view series) {
  const auto [first, last] = tracks_of(run);
  const auto begin = tracks_.begin();
  const auto from = std::lower_bound(
      begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last), series,
      [](const RunTrack& track, std::string_view name) { return track.series < name; });
  const auto to = std::find_if(from, begin + static_cast<std::ptrdiff_t>(last),
                               [&](const RunTrack& track) { return track.series != series; });
  return {static_cast<std::size_t>(from - begin), static_cast<std::size_t>(to - begin)};
}

SampleSet::Page SampleSet::page(std::size_t track, std::int64_t position, std::int64_t end) {
  const std::int64_t sealed = tracks()[track].sealed;
  if (position >= sealed) return {rest(track), sealed};
  const std::int64_t number = position / kChunkWidth;
  Samples samples = cache_.find(track, number);
  if (!samples) {
    const std::int64_t chunks = (std::min(end, sealed) + kChunkWidth - 1) / kChunkWidth;
    const std::int64_t behind = std::clamp(chunks, number + 1, number + kChunksAhead);
    with_track(track, [&](TrackReader& from, Track& found) {
      from.for_each_chunk(found, number, behind, [&](std::int64_t at, const StoredChunk& chunk) {
        const Samples kept = cache_.keep(track, at, from.samples_of(found, chunk));
        if (at == number) samples = kept;
        return true;
      });
    });
  }
  return {samples, number * kChunkWidth};
}

std::int64_t SampleSet::position_of(std::size_t track, std::int64_t step) {
  const std::int64_t sealed = tracks()[track].sealed;
  std::vector<ChunkSteps>& chunks = steps_of(track);
  const auto next =
      std::lower_bound(chunks.begin(), chunks.end(), step,
                       [](const ChunkSteps& chunk, std::int64_t at) { return chunk.first < at; });
  std::int64_t number = 0;  // of the chunk that must begin with a later step, or with this one
  if (next != chunks.begin()) {
    ChunkSteps& chunk = *std::prev(next);
    const std::int64_t inside = position_in_chunk(track, chunk, step);
    if (inside < kChunkWidth) return chunk.number * kChunkWidth + inside;
    number = chunk.number + 1;
  }
  if (number * kChunkWidth >= sealed) return sealed + static_cast<std::int64_t>(below(*rest(track), step));
  if (next == chunks.end() || next->number != number)
    with_track(track, [&](TrackReader& from, Track& found) {
      from.damaged(found, fmt::format("samples around step {}", step));
    });
  return number * kChunkWidth;
}

std::int64_t SampleSet::position_in_chunk(std::size_t track, ChunkSteps& chunk, std::int64_t step) {
  if (chunk.last < step) return kChunkWidth;
  Samples samples = cache_.find(track, chunk.number);
  if (!samples)
    with_track(track, [&](TrackReader& from, Track& found) {
      from.for_each_chunk(found, chunk.number, chunk.number + 1,
                          [&](std::int64_t number, const StoredChunk& stored) {
                            const Summary& heading = stored.chunk.summary;
                            if (heading.first_step != chunk.first) from.damaged(found, heading);
                            chunk.last = heading.last_step;
                            if (chunk.last >= step)
                              samples = cache_.keep(track, number, from.samples_of(found, stored));
                            return false;
                          });
    });
  return samples ? static_cast<std::int64_t>(below(*samples, step)) : kChunkWidth;
}

std::int64_t SampleSet::end_of(std::size_t track) {
  return tracks()[track].sealed + static_cast<std::int64_t>(rest(track)->size());
}

// Returns the samples behind the last full chunk, without what came after the statement began.
SampleSet::Samples SampleSet::rest(std::size_t track) {
  static const auto kNone = std::make_shared<const std::vector<Sample>>();
  const RunTrack& heading = tracks()[track];
  if (heading.count == heading.sealed && !heading.is_tail_damaged) return kNone;
  const std::int64_t number = heading.sealed / kChunkWidth;
  Samples samples = cache_.find(track, number);
  if (!samples)
    with_track(track, [&](TrackReader& from, Track& found) {
      from.refresh_tail();
      samples = cache_.keep(
          track, number,
          from.read_positions(found, heading.sealed, std::max(heading.count, heading.sealed + 1)));
    });
  return samples;
}

std::vector<SampleSet::ChunkSteps>& SampleSet::steps_of(std::size_t track) {
  auto& steps = steps_[track];
  if (!steps) {
    std::vector<ChunkSteps> chunks;
    const std::int64_t count = tracks()[track].sealed / kChunkWidth;
    if (count > 0)
      with_track(track, [&](TrackReader& from, Track& found) {
        for (const ChunkStart& start : from.chunk_starts(found))
          if (start.number < count) chunks.push_back({start.number, start.first_step});
      });
    steps = std::move(chunks);
  }
  return *steps;
}

template <class Body>
void SampleSet::with_track(std::size_t index, Body&& body) {
  TrackReader& from = reader(run_of_track_[index]);
  const std::int64_t before = from.rows_read();
  from.read([&] {
    const RunTrack& heading = tracks_[index];
    std::optional<Track> found = from.find(heading.series, heading.generation);
    if (!found)
      throw Error(ErrorKind::conflict,
                  from.database().file().string() + " was replaced meanwhile; ask again");
    body(from, *found);
  });
  rows_read_ += from.rows_read() - before;
}

TrackReader& SampleSet::reader(std::size_t run) {
  const auto found =
      std::find_if(open_.begin(), open_.end(), [&](const auto& entry) { return entry.first == run; });
  if (found != open_.end()) {
    open_.splice(open_.begin(), open_, found);
  } else {
    open_.emplace_front(std::piecewise_construct, std::forward_as_tuple(run),
                        std::forward_as_tuple(runs_[run].file));
    if (open_.size() > kMostOpen) open_.pop_back();
  }
  return open_.front().second;
}

}  // namespace batchscope::storage
