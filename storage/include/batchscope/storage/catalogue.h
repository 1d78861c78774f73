// SPDX-License-Identifier: Apache-2.0
/// \file
/// The catalogue, runs.db (storage/FORMAT.md): which runs there are, and everything about them but their
/// series. Many processes write it, each in short BEGIN IMMEDIATE transactions; nobody holds it open for
/// long. Every call may throw Error: io, corrupt, version (a newer schema), timeout (locked for over 10 s),
/// and not_found where it names a run that is not there. Not thread-safe: each thread opens its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/protocol/ledger.h"
#include "batchscope/protocol/pool.h"
#include "batchscope/protocol/run_spec.h"
#include "batchscope/protocol/run_state.h"
#include "batchscope/protocol/telemetry.h"
#include "batchscope/storage/queue.h"

namespace batchscope::storage {

using protocol::RunState;

/// Returns wall-clock seconds since 1970, as all times in the catalogue are.
double now();

/// The trial of a sweep that a run trains.
struct TrialOf {
  std::string sweep = {};  ///< its name
  std::size_t trial = 0;   ///< number
  int rung = 0;            ///< to which the trial's newest leg leads
  bool diverged = false;   ///< that leg ended because its metric, or its gradients, are not finite
};

/// A run as lists show it.
struct Run {
  std::string id;                        ///< eight of 0-9 a-z
  std::string name;                      ///< as a person calls it
  protocol::RunSpec spec;                ///< as it was made with
  RunState state = RunState::starting;   ///< with `interrupted` already decided, see Catalogue::run
  std::string message;                   ///< why it ended as it did, or what of it cannot be read
  double created = 0;                    ///< s since 1970, as all times here
  double ended = 0;                      ///< 0: not yet
  double removed = 0;                    ///< when it was put into the trash; 0: it is not there
  int replicas = 0;                      ///< of the newest generation; before the first, as asked for
  int restarts = 0;                      ///< generations after the first
  std::int64_t step = 0;                 ///< optimizer steps done
  int epoch = 0;                         ///< epochs finished
  int epochs = 0;                        ///< epochs asked for; 0: unknown
  double fraction = 0;                   ///< of the whole run
  std::int64_t supervisor_pid = 0;       ///< 0: none
  std::map<std::string, double> latest;  ///< newest value of each series
  std::vector<std::string> devices;      ///< that it holds a lease of, see Lease
  std::vector<std::string> tags;         ///< sorted, each once
  std::string note;                      ///< a person's
  std::map<std::string, std::string> hyperparameters;  ///< by name
  std::optional<TrialOf> trial;                        ///< none: it is not a trial of a sweep
};

/// A device of this machine in the hands of a run: "cuda:0" (a GPU by its number or UUID), "cpu:3" (a core).
struct Lease {
  std::string device;   ///< as above
  std::string run;      ///< its id
  std::string name;     ///< the run's
  bool queued = false;  ///< the run is in the queue
};

/// One start of the replicas. The pause is measured from the last finished step of the generation before.
struct Generation {
  int number = 0;                             ///< restarts before it
  int replicas = 0;                           ///< over all nodes
  std::string reason;                         ///< "start", "rescale", "resume", "crash", "trigger"
  double started = 0;                         ///< when its replicas were launched
  double ended = 0;                           ///< when the last was gone; 0: not yet
  std::int64_t first_step = 0;                ///< 0: none finished yet
  std::int64_t last_step = 0;                 ///< that finished
  std::string checkpoint;                     ///< restored from; empty: fresh
  double pause = -1;                          ///< s; negative: none (the first) or not over
  std::map<std::string, double> pause_parts;  ///< s: "checkpoint", "stop", "launch", "restore", "first step"
  /// "", "finished", "checkpointed", "ended without a checkpoint", "crashed: rank 1, signal 9"
  std::string outcome;
  /// Samples/s, negative: unknown. What the model predicted when the restart was asked for, and what was
  /// measured once it went on steadily (engine/run/PROTOCOL.md).
  ///@{
  double predicted_throughput = -1;
  double predicted_goodput = -1;
  double obtained_throughput = -1;
  double obtained_goodput = -1;
  ///@}
  double predicted_error =
      -1;  ///< share by which these are expected to differ (run/prediction.h); negative: unknown
};

/// An epoch, however many restarts it saw; one that a crash threw back has another row in its new generation.
struct Epoch {
  int number = 0;               ///< from 0
  int generation = 0;           ///< in which it began
  double started = 0;           ///< when it began
  double ended = 0;             ///< 0: not yet
  std::int64_t first_step = 0;  ///< of it
  std::int64_t last_step = 0;   ///< of it; 0: not yet
};

/// A line of the events list.
struct Event {
  std::int64_t id = 0;    ///< ascending within a run: the cursor for tailing
  double time = 0;        ///< when it happened
  int generation = 0;     ///< in which
  std::int64_t step = 0;  ///< optimizer steps done
  std::string level;      ///< "debug", "info", "warning", "error" (engine/run/PROTOCOL.md)
  std::string text;       ///< a sentence
};

/// A checkpoint on disk.
struct Checkpoint {
  std::string name;        ///< directory below the run's checkpoints
  int generation = 0;      ///< that wrote it
  std::int64_t step = 0;   ///< optimizer steps done
  int epoch = 0;           ///< epochs finished
  double progress = 0;     ///< scale-invariant iterations done
  double time = 0;         ///< when it was complete
  double seconds = 0;      ///< that writing took
  std::int64_t bytes = 0;  ///< of all its files
  std::string reason;      ///< as protocol::CheckpointWritten has it
};

/// A stretch of a pass, and who consumed it.
using Ledger = protocol::Stretch;

/// All that the catalogue holds of a run, except checkpoints and leases, which are bound to their machine.
struct RunRecord {
  Run run;                               ///< with its tags, note, hyperparameters and newest values
  std::vector<Generation> generations;   ///< by number
  std::vector<Epoch> epochs;             ///< by generation and number
  std::vector<Event> events;             ///< oldest first
  std::vector<Ledger> ledger;            ///< in their order
  std::optional<protocol::Model> model;  ///< the newest
};

/// The tag "lesson:NAME" says that a run was recorded for a lesson and came with BatchScope.
inline constexpr char kLessonTag[] = "lesson:";
/// Returns whether it has such a tag: lists leave such runs out, and "latest" is never one of them.
bool is_lesson(const Run& run);

/// Throws Error(corrupt) that says why, where the run is damaged: then it can only be looked at and removed.
void require_sound(const Run& run);

/// Keeps the spec in the run's folder, for a catalogue that has to be made again. Throws Error(io).
void keep_spec(const std::filesystem::path& folder, const protocol::RunSpec& spec);

/// Returns the ids of the runs that have a folder in `runs` beside the catalogue, which need not exist;
/// sorted.
std::vector<std::string> run_folders(const std::filesystem::path& catalogue);

/// An open catalogue.
class Catalogue {
 public:
  /// Opens or creates (with its directory), migrating an older schema after a backup. A new one, or an empty
  /// file, lists from the first moment the runs that have folders in `runs` beside it, as their series and
  /// specs describe them: so a lost catalogue is made again. Each folder takes milliseconds.
  explicit Catalogue(const std::filesystem::path& file);
  ~Catalogue();
  /// After a move the old object may only be assigned to or destroyed.
  ///@{
  Catalogue(Catalogue&&) noexcept;
  Catalogue& operator=(Catalogue&&) noexcept;
  ///@}

  /// Adds a run in the state `starting`, and returns its new id; `runs/<id>/` is not made here. Throws
  /// Error(usage) as RunSpec::check.
  std::string create_run(const protocol::RunSpec& spec);

  /// Returns the ids of run_folders() that no row has; rows in the trash count, too.
  std::vector<std::string> unlisted_folders();
  /// Lists the runs of these folders, as a new catalogue does, all or none. Returns the ids that were not
  /// listed before.
  std::vector<std::string> adopt(const std::vector<std::string>& ids);

  /// Returns the runs, newest first, without those in the trash. A run with a row that cannot be read is
  /// `damaged`; its message says why, and other parts of it may be missing. All other runs are complete.
  std::vector<Run> runs();
  std::vector<Run> trash();  ///< those in the trash, the last removed first
  /// Returns a run, also one in the trash. `interrupted` where it claims to be active and its supervisor is
  /// gone; a new run has ten seconds to get one.
  std::optional<Run> run(const std::string& id);

  /// Finds a run by an id or a whole name, else by a unique prefix of either, or "latest"; a lesson's run
  /// only where no other matches. Throws Error(not_found), or Error(usage) listing the matches.
  Run resolve(const std::string& text);
  /// Does the same among the runs in the trash, of which "latest" is the one removed last.
  Run resolve_removed(const std::string& text);

  /// Sets the state; the message says why, where there is something to say. When a run is over, the devices
  /// that this process, or a dead one, leased for it are released.
  void set_state(const std::string& id, RunState state, const std::string& message = {});
  /// Sets progress and newest values, with units as in Run. Series that are not in `latest` keep their
  /// values.
  void set_progress(const std::string& id, std::int64_t step, int epoch, int epochs, double fraction,
                    const std::map<std::string, double>& latest);
  /// Sets the spec for its next supervisor; the name in it is ignored, see set_name. Throws Error(usage) as
  /// RunSpec::check.
  void set_spec(const std::string& id, const protocol::RunSpec& spec);
  void set_name(const std::string& id, const std::string& name);               ///< need not be unique
  void set_note(const std::string& id, const std::string& note);               ///< any text
  void set_tags(const std::string& id, const std::vector<std::string>& tags);  ///< kept sorted, each once
  /// Adds and removes tags and keeps all others; adding one that is there or removing one that is not has no
  /// effect.
  void change_tags(const std::string& id, const std::vector<std::string>& added,
                   const std::vector<std::string>& removed);

  /// Makes this process the run's one supervisor; false where another living process is. Throws
  /// Error(conflict) where the run is in the trash. The claim ends with
  /// release_supervisor or with the process (its pid and start time are kept).
  bool claim_supervisor(const std::string& id);
  /// Ends this process's claim; another's stays.
  void release_supervisor(const std::string& id);

  std::vector<Lease> leases();  ///< of all runs, by device; a dead process holds none
  /// Chooses the devices of a run, given the leases of other runs and its own ones, which its supervisor
  /// holds, or the pool for it. lease_devices() throws what it throws.
  using Choice = std::function<std::vector<std::string>(const std::vector<Lease>& of_others,
                                                        const std::vector<std::string>& own)>;
  /// Leases the devices that `choose` returns (each once), and no others, to the run, in the name of this
  /// process. They are the run's until the next call, release_devices, or the end of this process. No other
  /// process leases or releases while `choose` decides; where it throws, nothing changes. `generation` and
  /// `why` are kept with the devices that are new, see lease_events().
  void lease_devices(const std::string& id, const Choice& choose, int generation = -1,
                     const std::string& why = {});
  void release_devices(const std::string& id);  ///< all that the run has in the name of this process
  /// Returns the leases since a time (s since 1970), ordered by their begin. Leases of a dead process end
  /// when somebody asks.
  std::vector<LeaseEvent> lease_events(double since);

  /// Puts a new run into the queue: state `pending`, for the pool to start. `job` without what the pool
  /// writes; its run and time of submission are set here. Returns the run's id. Throws Error(usage) as
  /// RunSpec::check, and for a priority out of its range.
  std::string submit_run(const protocol::RunSpec& spec, const Job& job);
  /// Takes a run into the queue that was started otherwise; no effect where it is in the queue.
  void enlist(const std::string& id);
  /// Returns the jobs of runs that have not ended and are not in the trash, in the order in which they would
  /// get devices were nothing else to be said: by priority, then by submission.
  std::vector<Job> jobs();
  std::optional<Job> job(const std::string& id);  ///< of any run; none where it was never in the queue
  void hold(const std::string& id, bool held);    ///< no effect where there is no job of this run
  void forget_after(const std::string& id);       ///< it comes after no other run
  /// Lets a job that is held, rests, was stopped or has failed wait for devices from now on. No effect where
  /// it waits already or trains, or where there is no job of this run.
  void go_on(const std::string& id);
  /// Sets the priority. Throws Error(usage) for one out of its range.
  void prioritise(const std::string& id, int priority);
  /// Writes what the pool says of a job: preempted, crashes, target, reason, expected end.
  void put_job(const Job& job);
  /// Writes only what a decision of the pool says of a job: target, reason, expected end. While the pool
  /// decided, the run's supervisor may have noted that the run waits for other devices.
  void put_job_decision(const Job& job);
  /// Writes at once that a run which trains is `pausing`, and that it rests until the pool has other devices
  /// for it: preempted, without a target.
  void leave_to_pool(const std::string& id);
  /// Forgets that a run was preempted. No effect where its state is not `running`: its supervisor may have
  /// left it to the pool in this moment.
  void forget_preemption(const std::string& id);
  void forget_crashes(const std::string& id);  ///< the run has got over them
  /// Makes a run `stopped`, with this message, if it has not ended and neither a living supervisor nor a
  /// lease holds it. Returns false, and does nothing, for any other run.
  bool cancel_waiting(const std::string& id, const std::string& message);
  /// Returns whether a pool has anything to do: a run of the queue has not ended, is not held, and was not
  /// paused by a person; one that is held has devices to give back; or two or more with auto replicas could
  /// share theirs. Reads the runs that have not ended.
  bool pool_needed();

  protocol::PoolSettings pool_settings();  ///< the defaults where nobody has set any
  /// Reads, changes and writes the settings in one transaction. Throws Error(usage) as PoolSettings::check.
  void change_pool_settings(const std::function<void(protocol::PoolSettings&)>& change);
  /// Returns the pool's nodes as it saw them last, by name.
  std::vector<protocol::PoolNode> pool_nodes();
  /// Keeps these nodes, and no others.
  void put_pool_nodes(const std::vector<protocol::PoolNode>& nodes);
  /// Keeps a decision; its id is ignored. The newest thousand are kept.
  void add_decision(const protocol::PoolDecision& decision);
  /// Returns the decisions whose id is above `after`, oldest first.
  std::vector<protocol::PoolDecision> decisions(std::int64_t after = 0);
  std::optional<protocol::PoolDecision> last_decision();  ///< the newest

  void put_generation(const std::string& id, const Generation& generation);  ///< insert or replace by number
  /// Returns the generations by number, without those that had ended before `since`.
  std::vector<Generation> generations(const std::string& id, double since = 0);

  void put_epoch(const std::string& id, const Epoch& epoch);  ///< insert or replace by number and generation
  std::vector<Epoch> epochs(const std::string& id);           ///< by generation and number

  /// Adds an event that happens now.
  void add_event(const std::string& id, int generation, std::int64_t step, const std::string& level,
                 const std::string& text);
  /// Returns the events whose id is above `after`, oldest first.
  std::vector<Event> events(const std::string& id, std::int64_t after = 0);

  /// Inserts or replaces a checkpoint by name; on disk when it returns.
  void put_checkpoint(const std::string& id, const Checkpoint& checkpoint);
  /// Removes a checkpoint's row, where there is one; the caller removes the directory.
  void remove_checkpoint(const std::string& id, const std::string& name);
  std::vector<Checkpoint> checkpoints(const std::string& id);  ///< newest first

  /// Adds a stretch to the ledger.
  void add_ledger(const std::string& id, int generation, const protocol::LedgerEntry& entry);
  std::vector<Ledger> ledger(const std::string& id);  ///< in the order in which they were added
  /// Replaces the whole ledger by that of a checkpoint from which the run goes on. Only the run's supervisor
  /// may call it.
  void set_ledger(const std::string& id, const std::vector<Ledger>& ledger);

  /// Inserts or replaces each hyperparameter by name.
  void put_hyperparameters(const std::string& id, const std::map<std::string, std::string>& values);
  std::map<std::string, std::string> hyperparameters(const std::string& id);  ///< by name

  /// Sets the model; only the newest is kept.
  void put_model(const std::string& id, int generation, const protocol::Model& model);
  std::optional<protocol::Model> model(const std::string& id);  ///< none before the first fit

  RunRecord record(const std::string& id);  ///< of a run, also of one in the trash; throws for a damaged one
  /// Adds a run as it was elsewhere, with its id; the caller makes its folder. Where the process dies
  /// meanwhile, an incomplete run is left in the trash. Throws Error(conflict) where there is a run of this
  /// id, Error(usage) for one that is active.
  void add_record(const RunRecord& record);

  /// Moves the run to the trash: it is not listed until it is restored, and nothing of it is lost. Throws
  /// Error(conflict) while a supervisor holds it.
  void move_to_trash(const std::string& id);
  void move_to_trash(const std::vector<std::string>& ids);  ///< the same for several, all or none
  void restore(const std::string& id);  ///< takes it out of the trash; no effect where it is not there
  void restore(const std::vector<std::string>& ids);  ///< the same for several, all or none
  /// Removes the run's rows for good; the caller removes its folder, see purge_run (storage/trash.h). Throws
  /// Error(conflict) as move_to_trash does.
  void remove_run(const std::string& id);

  /// Returns true once after every commit by another connection. Costs microseconds.
  bool changed();

 private:
  friend class Sweeps;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace batchscope::storage
