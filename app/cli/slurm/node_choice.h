// SPDX-License-Identifier: Apache-2.0
//
// Whether the next job of a run should have more nodes, where its number of replicas is left to goodput. On
// the nodes that a job has the supervisor chooses. What lies beyond is goodput::ReplicaChooser's choice as
// well, with a change of jobs for a pause, which is to be won back within an hour; and never more than are
// idle now, for while a run waits in the queue it learns nothing, and to ask again costs nothing.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "batchscope/goodput/replica_chooser.h"
#include "batchscope/protocol/replicas.h"
#include "batchscope/protocol/telemetry.h"
#include "slurm/job_script.h"

namespace batchscope::cli::slurm {

class NodeChoice {
 public:
  // Nodes that Slurm could give now; asked only where there is a use for them.
  using Idle = std::function<int()>;

  NodeChoice(const protocol::AutoReplicas& replicas, double efficiency_floor, const NodeRange& range,
             int replicas_per_node);

  struct More {
    int nodes = 1;
    std::string why;
  };
  // A new model of the run, which is in a job of so many nodes. `now`: s, monotonic. Where none are idle they
  // are asked for again in a minute.
  std::optional<More> consider(const protocol::Model& model, const goodput::RunContext& at, int nodes,
                               const Idle& idle, double now);

 private:
  NodeRange range_;
  int replicas_per_node_;
  goodput::ReplicaChooser chooser_;
  double rests_until_ = 0;
};

}  // namespace batchscope::cli::slurm
