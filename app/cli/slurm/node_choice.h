// SPDX-License-Identifier: Apache-2.0
//
// Chooses whether the next job of a run should have more nodes, if goodput chooses its number of replicas. On
// the nodes of a job the supervisor chooses. Beyond them goodput::ReplicaChooser chooses too, with the change
// of jobs as the pause, which must be won back within an hour. It never chooses more nodes than are idle now:
// a run that waits in the queue learns nothing, and asking again costs nothing.
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
  // Nodes that Slurm could give now; asked for only if they would be used.
  using Idle = std::function<int()>;

  NodeChoice(const protocol::AutoReplicas& replicas, double efficiency_floor, const NodeRange& range,
             int replicas_per_node);

  struct More {
    int nodes = 1;
    std::string why;
  };
  // Takes a new model of the run, which is in a job of so many nodes. `now`: s, monotonic. If no nodes are
  // idle, Slurm is asked again in a minute.
  std::optional<More> consider(const protocol::Model& model, const goodput::RunContext& at, int nodes,
                               const Idle& idle, double now);

 private:
  NodeRange range_;
  int replicas_per_node_;
  goodput::ReplicaChooser chooser_;
  double rests_until_ = 0;
};

}  // namespace batchscope::cli::slurm
