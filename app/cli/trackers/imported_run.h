// SPDX-License-Identifier: Apache-2.0
//
// A run of another tracker on its way into this store, from its beginning or as its files grow. The store
// keeps where it was taken from (storage/origins.h), so that importing again finds it; it reads all again and
// passes over as many samples as the store has. In the run's folder, import.json lists the files, whose
// places in the list are their generations, and how each began.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "batchscope/storage/catalogue.h"
#include "batchscope/storage/origins.h"
#include "trackers/run_source.h"

namespace batchscope::cli {

class ImportedRun {
 public:
  // `name` is for a run that is new and has none of its own. Throws Error(conflict) where the run is in the
  // trash, or one of its files was replaced.
  ImportedRun(storage::Catalogue& catalogue, RunSource source, std::string name);

  // Whether there are bytes that were not read.
  bool hasGrown();
  // Reads what there is, and tells `advance` of bytes now and then, which may throw. `isLive`: more may
  // follow, and the run is `running` in the store until it is read otherwise.
  void read(const std::function<void(std::int64_t bytes)>& advance, bool isLive);

  const RunSource& source() const { return source_; }
  const storage::Run& run() const { return run_; }  // without an id: there was nothing to make one of
  bool isNew() const { return isNew_; }
  std::int64_t samples() const { return taken_; }  // that are new
  std::size_t series() const { return latest_.size(); }
  // Returns what was not read, a sentence each, with file and reason.
  std::vector<std::string> troubles() const;

 private:
  using Track = std::pair<std::string, int>;  // a series in a generation

  struct File {
    std::filesystem::path path;
    std::unique_ptr<FileReader> reader;
    std::int64_t read = 0;  // bytes
  };
  struct Generation {
    Findings findings;
    std::int64_t firstStep = -1, lastStep = -1;
    double started = 0, ended = 0;
  };

  std::optional<storage::Run> find();
  std::filesystem::path listFile() const;
  void readList();
  void writeList() const;
  void addNewFiles();
  void readFile(std::size_t index, const std::function<void(std::int64_t bytes)>& advance, bool isLive);
  void store(int generation);
  void open();
  RunFacts facts() const;
  void put(bool isLive);
  void annotate(const RunFacts& facts);

  storage::Catalogue& catalogue_;
  storage::Origins origins_;
  RunSource source_;
  storage::Origin origin_;
  storage::Run run_;
  bool isNew_ = false, isRead_ = false;
  std::vector<File> files_;
  std::vector<Generation> generations_;
  std::map<std::string, double> latest_;
  std::map<Track, std::int64_t> stored_;  // samples that the store has and this reading has not met yet
  std::unique_ptr<storage::SampleWriter> writer_;
  std::int64_t taken_ = 0, pending_ = 0;
};

}  // namespace batchscope::cli
