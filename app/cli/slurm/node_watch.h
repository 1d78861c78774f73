// SPDX-License-Identifier: Apache-2.0
//
// Watches the nodes of a job while its run trains. A running job can only shrink: nodes that the run has not
// used for a while go back to Slurm, whatever the reason. If goodput would choose more nodes than the job has
// (node_choice.h), the run continues in the next job.
#pragma once

#include <QTimer>
#include <functional>
#include <optional>
#include <string>

#include "batchscope/protocol/control.h"
#include "slurm/job_folder.h"
#include "slurm/node_choice.h"

namespace batchscope::cli::slurm {

// The nodes that Slurm has given a job.
struct JobNodes {
  std::string job;  // its number
  std::string partition;
  std::string host;  // the first of them
  int nodes = 1;
  int replicas_per_node = 1;

  int room() const { return nodes * replicas_per_node; }
};

class NodeWatch {
 public:
  // Looks every few seconds, from the event loop. Both arguments are borrowed. Nodes that are given back are
  // removed from `nodes`.
  NodeWatch(const JobFolder& folder, const NodeRange& range, JobNodes& nodes);

  // Called once, when goodput has chosen more nodes than the job has.
  std::function<void(const NodeChoice::More& more)> on_more;
  // Called with what has been done, in a sentence.
  std::function<void(const std::string& text)> on_news;

 private:
  void look();
  void giveBack(const protocol::RunStatus& status);
  void choose(const protocol::RunStatus& status);

  const JobFolder& folder_;
  const NodeRange range_;
  JobNodes& nodes_;
  const double patience_;             // s
  std::optional<double> idle_since_;  // monotonic
  std::optional<NodeChoice> choice_;
  std::string limits_;           // of the choice
  std::int64_t last_step_ = -1;  // of the last model
  QTimer timer_;
};

}  // namespace batchscope::cli::slurm
