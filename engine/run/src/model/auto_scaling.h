// SPDX-License-Identifier: Apache-2.0
//
// The supervisor's choice of its number of replicas: goodput's chooser fed with the run's models, and its
// decisions put into words. A move is always told; staying is told once for each generation. A count that
// could not be had, did not start, or was measured to be slower than the one before, is tried again when some
// time has passed, and each time twice as much.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "batchscope/goodput/replica_chooser.h"
#include "batchscope/protocol/run_spec.h"
#include "batchscope/protocol/telemetry.h"
#include "batchscope/run/measured_rate.h"
#include "devices/placement.h"

namespace batchscope::run {

class AutoScaling {
 public:
  // The first wait before a count that was refused is tried again, in s.
  static constexpr double kPatience = 60;

  // Scales as the spec's auto_replicas and efficiency_floor say.
  explicit AutoScaling(const protocol::RunSpec& spec);

  struct Verdict {
    std::optional<int> replicas;  // to move to
    std::string event;            // what to tell; may be empty
    std::string figures;          // behind the event; empty where it is
  };
  // `most`: replicas, as most_replicas says now. `now`: s, monotonic. `replicas_per_node`: 0: all on one
  // node.
  Verdict consider(const protocol::Model& model, const goodput::RunContext& at, int most, double now,
                   int replicas_per_node = 0);

  void begin_generation() { reported_ = false; }
  void refuse(int replicas, double now);  // a move there has failed

  // A move from so many replicas has been measured, before and after. Returns the event where it does not
  // pay, and the count is refused.
  std::optional<std::string> judge(int from, const MeasuredRate& before, int replicas,
                                   const MeasuredRate& obtained, double now);

 private:
  struct Refusal {
    double patience = 0;  // s
    double until = 0;     // monotonic
  };

  goodput::ReplicaChooser chooser_;
  std::map<int, Refusal> refusals_;  // by replicas
  bool reported_ = false;
};

// The most that auto_replicas come to, where others leave these devices of the machine: as many as it has,
// and no more than are free where others hold some. What they take brings nobody down from `present`
// replicas.
int most_replicas(const protocol::RunSpec& spec, const Machine& machine, const Machine& free,
                  int present = 0);
// Returns the number of replicas that a first generation begins with: as many as there are free devices for,
// within auto_replicas, or all of them where their number is not left to goodput.
int first_replicas(const protocol::RunSpec& spec, int replicas, const Machine& machine, const Machine& free);

}  // namespace batchscope::run
