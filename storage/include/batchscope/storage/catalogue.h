// SPDX-License-Identifier: Apache-2.0
/// \file
/// The catalogue, runs.db: which runs there are, and everything about them but their series. Many
/// processes write it, each in short BEGIN IMMEDIATE transactions; nobody holds it open for long.
/// Every call may throw Error: io, corrupt, version (a newer schema), timeout (locked for over 10 s), and
/// not_found where it names a run that is not there. Not thread-safe: each thread opens its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/protocol/run_spec.h"
#include "batchscope/protocol/run_state.h"
#include "batchscope/protocol/telemetry.h"

namespace batchscope::storage {

using protocol::RunState;

/// Wall-clock seconds since 1970, as all times in the catalogue.
double now();

struct Run {
  std::string id;
  std::string name;
  protocol::RunSpec spec;
  RunState state = RunState::starting;  ///< with `interrupted` already decided, see Catalogue::run
  std::string message;                  ///< why it ended as it did
  double created = 0;
  double ended = 0;  ///< 0: not yet
  int replicas = 0;  ///< of the newest generation; before the first, as asked for
  std::int64_t step = 0;
  int epoch = 0;
  int epochs = 0;
  double fraction = 0;                   ///< of the whole run
  std::int64_t supervisor_pid = 0;       ///< 0: none
  std::map<std::string, double> latest;  ///< newest value of each series
  std::vector<std::string> tags;
  std::string note;
};

/// One start of the replicas. The pause is measured from the last finished step of the generation before.
struct Generation {
  int number = 0;
  int replicas = 0;
  std::string reason;  ///< "start", "rescale", "resume", "crash", "trigger"
  double started = 0;
  double ended = 0;
  std::int64_t first_step = 0;  ///< 0: none finished yet
  std::int64_t last_step = 0;
  std::string checkpoint;                     ///< restored from; empty: fresh
  double pause = -1;                          ///< s; negative: none (the first) or not over
  std::map<std::string, double> pause_parts;  ///< s: "checkpoint", "stop", "launch", "restore", "first step"
  std::string outcome;                        ///< "", "finished", "checkpointed", "crashed: rank 1, signal 9"
};

struct Epoch {
  int number = 0;
  int generation = 0;  ///< in which it began
  double started = 0;
  double ended = 0;
  std::int64_t first_step = 0;
  std::int64_t last_step = 0;
};

struct Event {
  std::int64_t id = 0;  ///< ascending within a run: the cursor for tailing
  double time = 0;
  int generation = 0;
  std::int64_t step = 0;
  std::string level;  ///< "info", "warning", "error"
  std::string text;   ///< a sentence
};

struct Checkpoint {
  std::string name;  ///< directory below the run's checkpoints
  int generation = 0;
  std::int64_t step = 0;
  int epoch = 0;
  double progress = 0;
  double time = 0;
  double seconds = 0;
  std::int64_t bytes = 0;
  std::string reason;
};

struct Ledger {
  int generation = 0;
  protocol::LedgerEntry entry;
};

class Catalogue {
 public:
  /// Opens or creates (with its directory), migrating an older schema after a backup.
  explicit Catalogue(const std::filesystem::path& file);
  ~Catalogue();
  Catalogue(Catalogue&&) noexcept;
  Catalogue& operator=(Catalogue&&) noexcept;

  /// The id is new; runs/<id>/ is not made here. State `starting`.
  std::string create_run(const protocol::RunSpec& spec);

  std::vector<Run> runs();  ///< newest first, without removed ones
  /// `interrupted` where it claims to be active and its supervisor is gone; a new run has ten seconds to get
  /// one.
  std::optional<Run> run(const std::string& id);

  /// An id or a whole name, else a unique prefix of either, or "latest". Throws Error(not_found), or
  /// Error(usage) listing the matches.
  Run resolve(const std::string& text);

  void set_state(const std::string& id, RunState state, const std::string& message = {});
  void set_progress(const std::string& id, std::int64_t step, int epoch, int epochs, double fraction,
                    const std::map<std::string, double>& latest);
  void set_name(const std::string& id, const std::string& name);
  void set_note(const std::string& id, const std::string& note);
  void set_tags(const std::string& id, const std::vector<std::string>& tags);  ///< kept sorted, each once

  /// Exactly one supervisor: false where another living process holds the run. Released at claim's end of
  /// life by release_supervisor or by its process's death (pid and start time are kept).
  bool claim_supervisor(const std::string& id);
  void release_supervisor(const std::string& id);

  void put_generation(const std::string& id, const Generation& generation);  ///< insert or replace by number
  std::vector<Generation> generations(const std::string& id);

  void put_epoch(const std::string& id, const Epoch& epoch);  ///< insert or replace by number and generation
  std::vector<Epoch> epochs(const std::string& id);

  void add_event(const std::string& id, int generation, std::int64_t step, const std::string& level,
                 const std::string& text);
  std::vector<Event> events(const std::string& id, std::int64_t after = 0);

  void put_checkpoint(const std::string& id, const Checkpoint& checkpoint);
  void remove_checkpoint(const std::string& id, const std::string& name);
  std::vector<Checkpoint> checkpoints(const std::string& id);  ///< newest first

  void add_ledger(const std::string& id, int generation, const protocol::LedgerEntry& entry);
  std::vector<Ledger> ledger(const std::string& id);

  void put_hyperparameters(const std::string& id, const std::map<std::string, std::string>& values);
  std::map<std::string, std::string> hyperparameters(const std::string& id);

  void put_model(const std::string& id, int generation,
                 const protocol::Model& model);  ///< the newest is kept
  std::optional<protocol::Model> model(const std::string& id);

  /// Removes the run's rows; its folder is the caller's. Throws Error(conflict) while a supervisor holds it.
  void remove_run(const std::string& id);

  /// True once after every commit by another connection. Costs microseconds.
  bool changed();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace batchscope::storage
