// SPDX-License-Identifier: Apache-2.0
//
// The supervisor's choice of its number of replicas: goodput's chooser fed with the run's models, and its
// decisions put into words. A move is always told; staying is told once for each generation.
#pragma once

#include <optional>
#include <string>

#include "batchscope/goodput/replica_chooser.h"
#include "batchscope/protocol/run_spec.h"
#include "batchscope/protocol/telemetry.h"
#include "devices/placement.h"

namespace batchscope::run {

class AutoScaling {
 public:
  // As the spec's auto_replicas and efficiency_floor say, on this machine.
  AutoScaling(const protocol::RunSpec& spec, const Machine& machine);

  struct Verdict {
    std::optional<int> replicas;  // to move to
    std::string event;            // what to tell; may be empty
  };
  Verdict consider(const protocol::Model& model, const goodput::RunContext& at);

  void begin_generation() { reported_ = false; }
  void refuse(int replicas) { chooser_.refuse(replicas); }  // a move there has failed

 private:
  goodput::ReplicaChooser chooser_;
  bool reported_ = false;
};

}  // namespace batchscope::run
