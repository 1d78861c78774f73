// SPDX-License-Identifier: Apache-2.0
/// \file
/// Sweeps in the catalogue (storage/FORMAT.md): the file of each, the legs of its trials in the order in
/// which they began, and the runs that train them. The course of a sweep is a function of these rows alone
/// (engine/sweep/SWEEPS.md). So each leg is written here first, together with its run's place in the queue: a
/// process that dies in between has begun all of it or nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/protocol/run_spec.h"
#include "batchscope/storage/catalogue.h"
#include "batchscope/storage/origins.h"

namespace batchscope::storage {

/// The life of a sweep.
enum class SweepState {
  running,   ///< legs begin whenever there is room
  paused,    ///< a person keeps its trials from training
  stopped,   ///< a person ended it; its values are kept
  finished,  ///< all that its file asks for was trained
  failed     ///< it cannot go on, and its message says why
};

const char* sweep_state_name(SweepState state) noexcept;  ///< the enumerator's own name

/// A sweep.
struct Sweep {
  std::string name = {};                   ///< unique in a catalogue
  std::string file = {};                   ///< the text of its file
  protocol::RunSpec spec = {};             ///< of its runs, without the searched parameters
  SweepState state = SweepState::running;  ///< see above
  std::string message = {};                ///< why it ended as it did
  int width = 1;                           ///< legs under way at most
  double created = 0;                      ///< s since 1970, as all times here
  double ended = 0;                        ///< 0: not yet
  std::string workplace = {};              ///< where its trials train, as JSON; empty: in the pool
};

/// Training of a trial from one rung to the next.
struct SweepLeg {
  /// Outcome of the leg.
  enum class Outcome {
    under_way,  ///< nothing yet
    value,      ///< its metric has a value
    diverged,   ///< that is not finite
    failed      ///< there is none, and the message says why
  };

  std::size_t trial = 0;                   ///< number, from 0
  int rung = 0;                            ///< that it leads to
  std::size_t heard = 0;                   ///< outcomes that had been heard when it began
  std::optional<std::size_t> origin = {};  ///< trial from whose checkpoint it began; none: its own, or none
  std::map<std::string, std::string> parameters = {};  ///< by name, as the program gets them
  double began = 0;                                    ///< s since 1970
  double ended = 0;                                    ///< 0: not yet
  Outcome outcome = Outcome::under_way;                ///< see above
  double value = 0;                                    ///< of the metric; only with Outcome::value
  double device_hours = 0;                             ///< that it took
  bool at_end = false;                                 ///< the program came to its own end
  std::string message = {};                            ///< why it failed
};

/// A run that trains a trial.
struct TrialRun {
  std::size_t trial = 0;  ///< number
  int seed = 0;           ///< 0, 1, .. of the runs of one point
  std::size_t leg = 0;    ///< number of the leg with which it began
  std::string run = {};   ///< id
};

/// The sweeps of a catalogue. Calls throw Error as the catalogue does; those that name a sweep throw
/// Error(not_found) where there is none of this name.
class Sweeps {
 public:
  /// The catalogue has to outlive it.
  explicit Sweeps(Catalogue& catalogue) : catalogue_(catalogue) {}

  /// Adds one, created now. Throws Error(conflict) where there is one of its name.
  void create(const Sweep& sweep);
  std::vector<Sweep> all();                            ///< the newest first
  std::optional<Sweep> find(const std::string& name);  ///< none: there is none of this name
  /// Finds a sweep by its name, or a unique beginning of it, or "latest". Throws Error(not_found | usage)
  /// that lists the sweeps.
  Sweep resolve(const std::string& text);
  /// Sets the state; the message says why, where there is something to say.
  void set_state(const std::string& name, SweepState state, const std::string& message = {});
  /// Sets the state `running`. No run of the sweep is held any more, not even a stopped one, since a later
  /// leg may go on with it; and the runs of legs under way go on, as begin_leg lets them.
  void resume(const std::string& name);
  void set_file(const std::string& name, const std::string& file);  ///< its new text
  void set_width(const std::string& name, int width);               ///< above 0
  /// Removes the sweep and its legs; its runs stay, as runs of their own.
  void remove(const std::string& name);
  /// Adds a removed sweep again, with the rows that all() or find(), legs() and runs() returned of it; runs
  /// that are no longer in the catalogue are left out. Throws Error(conflict) where there is one of its name.
  void restore(const Sweep& sweep, const std::vector<SweepLeg>& legs, const std::vector<TrialRun>& runs);

  std::vector<SweepLeg> legs(const std::string& name);  ///< in the order in which they began
  std::vector<TrialRun> runs(const std::string& name);  ///< by trial and seed

  /// Appends a leg that begins now, under this number. Where it goes on from its trial's own checkpoint, and
  /// that is not `there` already, the runs of the trial go on too: one that is paused no longer rests, one
  /// that has stopped waits in the queue again. Throws Error(conflict) where the sweep has another number of
  /// legs.
  void begin_leg(const std::string& name, std::size_t number, const SweepLeg& leg, bool there = false);
  /// Writes the result of a leg, which ends now: outcome, value, device_hours, at_end and message.
  void end_leg(const std::string& name, std::size_t number, const SweepLeg& leg);
  /// Lets a run go on: one that is paused no longer rests (Job::rests); one that trains elsewhere and has
  /// stopped is pending.
  void go_on(const std::string& run);
  /// Submits a run (Catalogue::submit_run) that begins with this leg of a trial, in the place of any that the
  /// trial has for this seed. `prepare` gets its id before there is anything of it in the catalogue. Returns
  /// the id. Throws what `prepare` throws; then there is no such run.
  std::string submit(const std::string& name, const TrialRun& place, const protocol::RunSpec& spec,
                     const std::function<void(const std::string& id)>& prepare = {});
  /// Does the same for a run that trains where `prepare` says: it is not in the queue, and is followed from
  /// its beginning (origins.h).
  std::string submit_elsewhere(const std::string& name, const TrialRun& place, const protocol::RunSpec& spec,
                               const std::function<Origin(const std::string& id)>& prepare);

 private:
  Catalogue& catalogue_;
};

}  // namespace batchscope::storage
