// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs from elsewhere: their record, as JSON lines in a folder that several machines see or that is read
/// from another one (storage/FORMAT.md, "A record that grows"), is taken into this store piece by piece. A
/// line that is taken twice counts once, so that a process that was killed may begin again a little before
/// its last place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "batchscope/protocol/json.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::storage {

/// Name of the file with the spec in a run's folder, here and in FOLDER/ID that several machines see.
inline constexpr char kSpecFile[] = "run.json";

/// The job of a cluster that trains a run or is to go on with it, as the cluster last reported.
struct ClusterJob {
  std::string cluster = {};    ///< its name
  std::string partition = {};  ///< of the job
  std::string number = {};     ///< of the job; empty: there is none any more
  std::string state = {};      ///< in Slurm's words: "PENDING", "RUNNING"
  std::string reason = {};     ///< why it waits, in Slurm's words: "Resources"; empty: it does not
  double start = 0;            ///< when it began or is expected to, s since 1970; 0: unknown
  std::string nodes = {};      ///< that it has, as Slurm lists them: "n[1-2]"; of one that waits, how many

  bool operator==(const ClusterJob&) const = default;  ///< in all of it
};

/// Converts to and from the JSON of the store, which programs print. Throws nlohmann's exceptions for other
/// JSON.
///@{
void to_json(protocol::Json& json, const ClusterJob& job);
void from_json(const protocol::Json& json, ClusterJob& job);
///@}

/// Returns whether it waits for its nodes.
bool waits(const ClusterJob& job);

/// Where a run was taken from.
struct Origin {
  std::string host = {};    ///< as ssh knows it; empty: the folder is seen here
  std::string folder = {};  ///< FOLDER/ID, which holds record.jsonl
  bool followed = false;    ///< it trains there and is only watched here; else this store may go on with it
  /// The command, without "resume ID" and the like, by which that is done where the run trains, on `host` if
  /// that is set; empty: unknown, and take() keeps the old value.
  std::vector<std::string> control = {};
  std::int64_t taken = 0;              ///< bytes of record.jsonl that are in the store
  std::optional<ClusterJob> job = {};  ///< none: not reported; take() keeps the old one
};

/// Returns host and folder, as people write them: "login:/scratch/me/3f9a12bc".
std::string place_of(const Origin& origin);

/// Returns the message for a command to a run that is only followed here.
std::string trains_elsewhere(const std::string& run, const Origin& origin);

/// The content of one line of a record: the run, and of its history the rows that are new or have changed.
struct RecordPart {
  RunRecord record = {};  ///< the run is whole; a stage of it that has no row is as before
  /// The first stretch that the new ones replace, together with all behind it; 0: all. None: the ledger is as
  /// before.
  std::optional<std::int64_t> ledger_from = {};
  std::optional<std::vector<Checkpoint>> checkpoints = {};  ///< all that there are; none: as before
  /// Devices that it had or has, with their nodes: "n1/cpu:0". A lease with a device and a begin that are
  /// known gets this end; the run in it is not read.
  std::vector<LeaseEvent> leases = {};
};

/// The runs of a catalogue that were taken from elsewhere. Not thread-safe; throws as the catalogue does.
class Origins {
 public:
  explicit Origins(const std::filesystem::path& catalogue);  ///< opens it
  ~Origins();
  Origins(const Origins&) = delete;
  Origins& operator=(const Origins&) = delete;

  std::optional<Origin> find(const std::string& run);  ///< by its id; none where it belongs to this store
  std::map<std::string, Origin> followed();            ///< of runs that are not in the trash, by their ids
  /// Sets how to reach the run's supervisor, see Origin. Throws Error(not_found) for a run of this store.
  void set_control(const std::string& run, const std::vector<std::string>& control);
  /// Takes the cluster's report of its job; where no job trains the run, it has no devices from now on.
  /// Throws Error(not_found) for a run of this store.
  void set_job(const std::string& run, const ClusterJob& job);

  /// Puts the parts into the catalogue, in their order, and remembers the origin, all in one transaction. A
  /// run that is not there is made from the first part; without parts nothing is done then. Throws
  /// Error(conflict) where a living supervisor of this machine has the run, or where there is a run of this
  /// id that was not taken from elsewhere. One that this store may go on with has no devices when it returns.
  void take(const std::string& run, const Origin& origin, std::span<const RecordPart> parts);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace batchscope::storage
