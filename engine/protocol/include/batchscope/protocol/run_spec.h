// SPDX-License-Identifier: Apache-2.0
/// \file
/// What to run: the program with its arguments, on how many replicas, and the scripted events. It is
/// written into the catalogue when a run is made and read by the run's supervisor.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/protocol/duration.h"
#include "batchscope/protocol/json.h"
#include "batchscope/protocol/non_finite.h"
#include "batchscope/protocol/replicas.h"
#include "batchscope/protocol/time_outs.h"

namespace batchscope::protocol {

/// A scripted event: `--at step=400:checkpoint`. The replicas evaluate epoch, step and progress, so that
/// the event happens after exactly that step on all of them; elapsed is the supervisor's clock.
struct Trigger {
  /// The unit of `at`.
  enum class When { epoch, step, progress, elapsed };
  /// The action at that time.
  enum class Action { replicas, checkpoint, pause, stop };

  When when = When::step;  ///< the clock
  double at = 0;  ///< epochs finished | optimizer steps done | scale-invariant iterations | s of run time
  Action action = Action::checkpoint;  ///< what happens
  int replicas = 0;                    ///< for Action::replicas

  /// "{epoch|step|iterations|elapsed}=X:{replicas=N|checkpoint|pause|stop}"; elapsed is a duration, and
  /// "progress" is another word for iterations.
  /// Throws Error(usage) quoting the text and the form.
  static Trigger parse(const std::string& text);
  /// The form that parse reads.
  std::string text() const;
  bool operator==(const Trigger&) const = default;  ///< the same event
};

inline constexpr int kMostRestarts = 1'000'000;  ///< the largest restart budget

/// Everything that is needed to start a run, or to start it again.
struct RunSpec {
  std::string name;                           ///< as a person calls it
  std::string program;                        ///< absolute path
  std::vector<std::string> arguments;         ///< without the program's name
  std::string working_directory;              ///< absolute path
  std::string recipe;                         ///< path of the recipe it came from, or empty
  int replicas = 1;                           ///< of the first generation
  std::optional<AutoReplicas> auto_replicas;  ///< goodput chooses their number from then on; none: it stays
  double efficiency_floor = 0.5;              ///< speed-up per replica that auto_replicas keeps up
  /// GPUs or cores of each replica; 0: one GPU, or its share of the free cores.
  int devices_per_replica = 0;
  /// The same, and 1 where nothing is said.
  int devices_of_each() const { return std::max(1, devices_per_replica); }
  bool oversubscribe = false;                      ///< more replicas than GPUs, over Gloo
  std::string device = "auto";                     ///< auto, cpu or cuda:N
  bool tls = false;                                ///< lines to other nodes are encrypted (run/NODES.md)
  std::string group;                               ///< runs that belong together, or empty
  std::vector<Trigger> triggers;                   ///< scripted events
  std::map<std::string, std::string> environment;  ///< added to the supervisor's own
  TimeOuts time_outs;                              ///< how long anything may take
  double checkpoint_interval = 60;                 ///< seconds between two periodic checkpoints; 0: none
  int restart_budget = 5;                          ///< restarts in a row without progress
  NonFinite non_finite = NonFinite::skip;          ///< what a gradient that is not finite does
  /// Samples of a micro-batch that memory is known to hold: lowered when a replica runs out of it. 0: any.
  std::int64_t max_local_batch_size = 0;

  /// Throws Error(usage) naming the number that is out of its range, as every NaN is. A spec that passes can
  /// be written and read again; all code that makes, reads or stores one calls this.
  void check() const;
};

/// Writes its text.
void to_json(Json& json, const Trigger& trigger);
/// Throws Error(usage) as parse does.
void from_json(const Json& json, Trigger& trigger);
/// Writes an object with a field of the same name for each.
void to_json(Json& json, const RunSpec& spec);
/// Throws Error(usage) naming the field, also for what check() refuses.
void from_json(const Json& json, RunSpec& spec);

}  // namespace batchscope::protocol
