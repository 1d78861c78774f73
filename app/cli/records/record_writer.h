// SPDX-License-Identifier: Apache-2.0
//
// A record that grows: what is new in a run is appended to a file of JSON lines. A writer begins by reading
// the file, and so learns how far it is. One writer at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "batchscope/storage.h"
#include "records/description.h"
#include "records/record_line.h"

namespace batchscope::cli {

class RecordWriter {
 public:
  // Reads the file, or creates it. Throws Error(io), Error(version) for the record of a newer program,
  // Error(conflict) for another run's.
  RecordWriter(std::filesystem::path file, std::string run);
  ~RecordWriter();
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  // Appends what is new in the store, and syncs the file if a checkpoint is among it. Throws Error(io): then
  // the file may end in half a line, and the next writer has to read it again.
  void update(storage::Catalogue& catalogue);
  // Appends the end, unless the file ends with it, and syncs the file.
  void finish();

  std::int64_t samples() const { return end_.samples; }  // in the file

 private:
  // A series in a generation.
  struct Track {
    std::int64_t told = 0;                // samples in the lines so far, readable or not
    std::int64_t position = 0;            // in the store, of the first sample that is not in the file
    std::vector<storage::Sample> newest;  // the last few before it
  };
  using TrackName = std::pair<std::string, int>;

  void hear(std::string_view line);
  void updateDescription(storage::Catalogue& catalogue);
  void updateSamples();
  void updateTrack(storage::SampleReader& reader, const TrackName& name);
  void write(Track& track, const TrackName& name, std::span<const storage::Sample> samples);
  std::vector<storage::Sample> missing(storage::SampleReader& reader, const TrackName& name);
  void append(const std::string& line);
  void flush();
  void synchronise();
  [[noreturn]] void refuse() const;

  std::filesystem::path file_;
  std::string run_;
  int descriptor_ = -1;
  Description description_;
  std::map<TrackName, Track> tracks_;
  std::map<std::string, std::int64_t> counts_;  // of samples in the store, by series, when last looked at
  RecordEnd end_;
  bool isEnded_ = false;  // the last line is an end
  bool isSynchronised_ = true;
  double described_ = 0;  // s since 1970
  std::string text_;      // to be appended
};

}  // namespace batchscope::cli
