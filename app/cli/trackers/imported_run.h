// SPDX-License-Identifier: Apache-2.0
//
// Takes a run of another tracker into this store, from its beginning or as its files grow. The store keeps
// its origin (storage/origins.h), so that a later import finds it, reads everything again and skips as many
// samples as the store has. In the run's folder, import.json lists the files and the first bytes of each. A
// file's place in the list is its generation.
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
  // `name` is for a new run that has no name. Throws Error(conflict) if the run is in the trash, or one of
  // its files was replaced.
  ImportedRun(storage::Catalogue& catalogue, RunSource source, std::string name);

  // Returns whether there are bytes that were not read.
  bool hasGrown();
  // Reads what there is, and calls `advance` with the bytes now and then; it may throw. `isLive`: more may
  // follow, and the run is `running` in the store until a later call without it.
  void read(const std::function<void(std::int64_t bytes)>& advance, bool isLive);

  const RunSource& source() const { return source_; }
  const storage::Run& run() const { return run_; }  // without an id if there was nothing to import
  bool isNew() const { return isNew_; }
  std::int64_t samples() const { return taken_; }  // new ones
  std::size_t series() const { return latest_.size(); }
  // Returns a sentence for each thing that was not read, with file and reason.
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
