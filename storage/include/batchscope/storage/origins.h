// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs of elsewhere: their record, as JSON lines in a folder that several machines see or that is read from
/// afar (storage/FORMAT.md, "A record that grows"), taken into this store piece by piece. What is taken twice
/// counts once, so that whoever was killed may begin a little before the place where it was.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "batchscope/storage/catalogue.h"

namespace batchscope::storage {

/// Where a run was taken from.
struct Origin {
  std::string host = {};    ///< as ssh knows it; empty: the folder is seen here
  std::string folder = {};  ///< FOLDER/ID, which holds record.jsonl
  bool followed = false;    ///< it trains there, and is only watched here; else this store may go on with it
  /// Words that stand before "resume ID" and the like to have it done where the run trains; none: unknown.
  std::vector<std::string> control = {};
  std::int64_t taken = 0;  ///< bytes of record.jsonl that are in the store
};

/// Host and folder, as people write them: "login:/scratch/me/3f9a12bc".
std::string place_of(const Origin& origin);

/// What to tell whoever asks something of a run that is only followed here.
std::string trains_elsewhere(const std::string& run, const Origin& origin);

/// What one line of a record tells: the run, and of its history the rows that are new or have changed.
struct RecordPart {
  RunRecord record = {};  ///< the run is whole; a stage of it that has no row is as before
  /// Its stretches take the place of all from this one on, 0 being the first. None: the ledger is as before.
  std::optional<std::int64_t> ledger_from = {};
  std::optional<std::vector<Checkpoint>> checkpoints = {};  ///< all that there are; none: as before
};

/// The runs of a catalogue that were taken from elsewhere. Not thread-safe; throws as the catalogue does.
class Origins {
 public:
  explicit Origins(const std::filesystem::path& catalogue);  ///< opens it
  ~Origins();
  Origins(const Origins&) = delete;
  Origins& operator=(const Origins&) = delete;

  std::optional<Origin> find(const std::string& run);  ///< by its id; none where it is of this store
  /// Says how to reach the run's supervisor, see Origin. Throws Error(not_found) for a run of this store.
  void set_control(const std::string& run, const std::vector<std::string>& control);

  /// Puts the parts into the catalogue, in their order, and remembers the origin, all in one transaction. A
  /// run that is not there is made of the first part; without any, nothing is done then. Throws
  /// Error(conflict) where a living supervisor of this machine has the run, or where there is a run of this
  /// id that was not taken from elsewhere.
  void take(const std::string& run, const Origin& origin, std::span<const RecordPart> parts);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace batchscope::storage
