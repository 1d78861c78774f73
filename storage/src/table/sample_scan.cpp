// SPDX-License-Identifier: Apache-2.0
#include "table/sample_scan.h"

#include <algorithm>

namespace batchscope::storage {

void SampleScan::begin(const Wanted& wanted) {
  wanted_ = wanted;
  tracks_.clear();
  streams_.clear();
  if (wanted.nothing || wanted.first_step > wanted.last_step) return;
  find_tracks();
  if (!wanted.backwards) std::reverse(tracks_.begin(), tracks_.end());
  do open_next();
  while (is_merged() && !tracks_.empty());
}

void SampleScan::next() {
  if (!is_merged()) {
    if (wanted_.one_per_track || !advance(streams_.front())) {
      streams_.clear();
      open_next();
    }
    return;
  }
  const auto after = [this](const Stream& a, const Stream& b) { return is_after(a, b); };
  std::pop_heap(streams_.begin(), streams_.end(), after);
  if (advance(streams_.back()))
    std::push_heap(streams_.begin(), streams_.end(), after);
  else
    streams_.pop_back();
}

bool SampleScan::is_after(const Stream& a, const Stream& b) const {
  const std::int64_t step = a.sample().step, other = b.sample().step;
  const bool is_later = step != other ? step > other : a.track > b.track;
  return is_later != wanted_.backwards;
}

void SampleScan::find_tracks() {
  std::size_t run = 0, end = set_.run_count();
  if (wanted_.run) {
    const std::optional<std::size_t> found = set_.find_run(*wanted_.run);
    if (!found) return;
    run = *found;
    end = run + 1;
  }
  for (; run < end; ++run)
    add_tracks(wanted_.series ? set_.tracks_of(run, *wanted_.series) : set_.tracks_of(run));
}

void SampleScan::add_tracks(SampleSet::Range range) {
  for (std::size_t track = range.first; track < range.second; ++track)
    if (!wanted_.generation || set_.tracks()[track].generation == *wanted_.generation)
      tracks_.push_back(track);
}

// The next one that has a sample that is wanted.
void SampleScan::open_next() {
  const auto after = [this](const Stream& a, const Stream& b) { return is_after(a, b); };
  while (!tracks_.empty()) {
    std::optional<Stream> stream = open(tracks_.back());
    tracks_.pop_back();
    if (!stream) continue;
    streams_.push_back(*std::move(stream));
    if (is_merged()) std::push_heap(streams_.begin(), streams_.end(), after);
    return;
  }
}

std::optional<SampleScan::Stream> SampleScan::open(std::size_t track) {
  Stream stream;
  stream.track = track;
  stream.end = INT64_MAX;
  if (wanted_.first_step > INT64_MIN) stream.begin = set_.position_of(track, wanted_.first_step);
  if (wanted_.last_step < INT64_MAX) stream.end = set_.position_of(track, wanted_.last_step + 1);
  if (wanted_.one_per_track) stream.end = std::min(stream.end, stream.begin + 1);
  if (wanted_.backwards) stream.end = std::min(stream.end, set_.end_of(track));
  stream.position = wanted_.backwards ? stream.end - 1 : stream.begin;
  if (!load(stream)) return std::nullopt;
  return stream;
}

// The page of its position; false where that is not wanted any more.
bool SampleScan::load(Stream& stream) {
  if (stream.position < stream.begin || stream.position >= stream.end) return false;
  stream.page =
      set_.page(stream.track, stream.position, wanted_.backwards ? stream.position + 1 : stream.end);
  return stream.position - stream.page.first < static_cast<std::int64_t>(stream.page.samples->size());
}

bool SampleScan::advance(Stream& stream) {
  stream.position += wanted_.backwards ? -1 : 1;
  const std::int64_t inside = stream.position - stream.page.first;
  if (inside < 0 || inside >= static_cast<std::int64_t>(stream.page.samples->size())) return load(stream);
  return stream.position >= stream.begin && stream.position < stream.end;
}

}  // namespace batchscope::storage
