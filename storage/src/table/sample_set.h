// SPDX-License-Identifier: Apache-2.0
//
// The samples of some runs as one statement of SQL sees them: the tracks as they were when it first asked,
// and where in a track a step is. A track's full chunks are never written again, so what has been decoded of
// them lately is kept, and the next step of a join is found in memory. Not thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "samples/track_reader.h"

namespace batchscope::storage {

using SampleFiles = std::map<std::string, std::filesystem::path>;  // by run id

class SampleSet {
 public:
  static constexpr std::size_t kMostCached = 4'000'000;  // samples, 16 bytes each

  explicit SampleSet(const SampleFiles& files, std::size_t most_cached = kMostCached);

  // A statement begins: the next call sees what has been recorded meanwhile.
  void forget();

  struct RunTrack : TrackHeading {
    const std::string* run = nullptr;
  };
  // Returns the tracks by run, series and generation, each ascending.
  const std::vector<RunTrack>& tracks();

  // The indices [first, last) of the tracks of one run, or of one series of it.
  using Range = std::pair<std::size_t, std::size_t>;
  std::size_t run_count() const { return runs_.size(); }
  std::optional<std::size_t> find_run(std::string_view id) const;
  Range tracks_of(std::size_t run);
  Range tracks_of(std::size_t run, std::string_view series);

  using Samples = std::shared_ptr<const std::vector<Sample>>;
  struct Page {
    Samples samples;
    std::int64_t first = 0;  // position of the first one
  };

  // Samples around this position of a track: its chunk, or all that follow the full chunks, of which there
  // may be none at this position. When the samples up to `end` will be wanted too, some are read ahead.
  Page page(std::size_t track, std::int64_t position, std::int64_t end);

  // Returns the position of the first sample whose step is not below, or the one behind the last. Decodes one
  // chunk at most, or two where the step is the last of one and the first of the next.
  std::int64_t position_of(std::size_t track, std::int64_t step);

  // The position behind the last sample.
  std::int64_t end_of(std::size_t track);

  // Rows fetched from the files so far, each a chunk or a batch of samples.
  std::int64_t rows_read() const { return rows_read_; }

 private:
  struct RunFile {
    std::string id;
    std::filesystem::path file;
    std::size_t first_track = 0;
  };

  // A full chunk's steps; the last one once its heading has been read.
  struct ChunkSteps {
    std::int64_t number = 0;
    std::int64_t first = 0;
    std::int64_t last = INT64_MAX;
  };

  // A cache of chunks in the order of their last use, at most so many samples.
  class Cache {
   public:
    explicit Cache(std::size_t most) : most_(most) {}
    Samples find(std::size_t track, std::int64_t number);
    Samples keep(std::size_t track, std::int64_t number, std::vector<Sample>&& samples);
    void clear();

   private:
    struct Entry {
      std::uint64_t key;
      Samples samples;
    };
    const std::size_t most_;
    std::list<Entry> entries_;  // the newest first
    std::unordered_map<std::uint64_t, std::list<Entry>::iterator> places_;
    std::size_t size_ = 0;
  };

  // The body with the reader of the track's file and the track, in a transaction.
  template <class Body>
  void with_track(std::size_t index, Body&& body);
  TrackReader& reader(std::size_t run);
  std::vector<ChunkSteps>& steps_of(std::size_t track);
  std::int64_t position_in_chunk(std::size_t track, ChunkSteps& chunk, std::int64_t step);
  Samples rest(std::size_t track);

  std::vector<RunFile> runs_;
  std::vector<RunTrack> tracks_;
  std::vector<std::size_t> run_of_track_;
  std::vector<std::optional<std::vector<ChunkSteps>>> steps_;  // of each track, once asked for
  bool is_known_ = false;
  std::list<std::pair<std::size_t, TrackReader>> open_;  // by run, the newest first
  Cache cache_;
  std::int64_t rows_read_ = 0;
};

}  // namespace batchscope::storage
