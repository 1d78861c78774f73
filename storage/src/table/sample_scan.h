// SPDX-License-Identifier: Apache-2.0
//
// One pass over the samples that a statement asks for, in one of two orders, either way round: track by track
// (run, series, generation, step), or by step, which merges the tracks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "table/sample_set.h"

namespace batchscope::storage {

struct Wanted {
  std::optional<std::string> run, series;
  std::optional<std::int64_t> generation;
  std::int64_t first_step = INT64_MIN, last_step = INT64_MAX;
  bool nothing = false;  // the conditions exclude one another

  bool by_step = false;
  bool backwards = false;
  bool one_per_track = false;  // any sample of each will do
};

class SampleScan {
 public:
  explicit SampleScan(SampleSet& set) : set_(set) {}

  // Goes to the first sample. Throws as SampleReader::read does, and so does next.
  void begin(const Wanted& wanted);
  void next();
  bool at_end() const { return streams_.empty(); }

  // The sample's, which must be there.
  ///@{
  const SampleSet::RunTrack& track() const { return set_.tracks()[front().track]; }
  const Sample& sample() const { return front().sample(); }
  // The same for a sample in every scan of a statement: by it SQLite unites what the sides of an OR find.
  std::int64_t id() const { return static_cast<std::int64_t>(front().track) << 40 | front().position; }
  ///@}

 private:
  // The rest of a track: the samples at [begin, end), of which `position` is next.
  struct Stream {
    std::size_t track = 0;
    std::int64_t begin = 0, end = 0;
    std::int64_t position = 0;
    SampleSet::Page page;

    const Sample& sample() const { return (*page.samples)[static_cast<std::size_t>(position - page.first)]; }
  };

  const Stream& front() const { return streams_.front(); }
  bool is_merged() const { return wanted_.by_step; }
  bool is_after(const Stream& a, const Stream& b) const;
  void find_tracks();
  void add_tracks(SampleSet::Range range);
  void open_next();
  std::optional<Stream> open(std::size_t track);
  bool load(Stream& stream);
  bool advance(Stream& stream);

  SampleSet& set_;
  Wanted wanted_;
  std::vector<std::size_t> tracks_;  // not yet opened, the next one last
  std::vector<Stream> streams_;      // open ones, a heap where they are merged; else one
};

}  // namespace batchscope::storage
