// SPDX-License-Identifier: Apache-2.0
//
// A job in the simulator: how far it is, what it has measured of itself, and how it trains with the devices
// that it has. The rules are in simulation.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "batchscope/goodput/fit.h"
#include "batchscope/goodput/model.h"
#include "batchscope/policy/profile.h"
#include "batchscope/policy/workload.h"

namespace batchscope::policy {

class SimulatedJob {
 public:
  // Where goodput chooses its batch size, the job's fixed one is that of its application, if any.
  SimulatedJob(const Submission& submission, const Application& application, bool by_goodput);

  const Submission& submission() const { return submission_; }
  const Application& application() const { return application_; }
  const Placement& placement() const { return placement_; }
  int epoch() const { return epoch_; }  // that have ended
  double progress() const { return progress_; }
  bool completed() const { return completion_.has_value(); }
  double completion() const { return *completion_; }
  int restarts() const { return restarts_; }
  int most_profiled() const { return most_profiled_; }  // replicas
  const std::vector<Tenure>& tenures() const { return tenures_; }

  // Scale-invariant iterations still to do.
  double remaining() const { return application_.progress(application_.epochs()) - progress_; }

  // Samples a second at the initial batch size's efficiency, by its own model; negative: it has none yet.
  double goodput(int num_nodes, int num_replicas) const;

  void advance(double seconds, double interference);
  // Changes the placement from the next interval on.
  void reallocate(const Placement& placement, double restart);

 private:
  std::vector<int> per_node() const;
  void tune();
  void measure(std::int64_t local_batch_size, const StepTimes& times, const goodput::GradParams& gradient);
  void leave();

  const Submission& submission_;
  const Application& application_;
  bool fits_;                // the model is asked for
  std::int64_t fixed_size_;  // 0: goodput chooses
  double now_ = 0, pause_ = 0, progress_ = 0;
  int epoch_ = 0, restarts_ = -1, most_profiled_ = 0;
  std::optional<double> completion_;
  Placement placement_;
  std::int64_t local_batch_size_ = 0;
  int accumulation_steps_ = 0;
  std::vector<Tenure> tenures_;
  double since_ = 0;

  std::vector<goodput::ProfileRow> profile_;
  std::optional<goodput::PerfParams> model_;
  std::size_t fitted_rows_ = 0;  // that the model has seen
  goodput::GradParams gradient_;
  mutable std::map<std::pair<int, int>, double> goodput_;  // by nodes and replicas, of the present model
};

// So many devices on as few nodes of `node` devices as hold them.
std::vector<int> on_nodes_of(int node, int count);

// s of a step of a fixed batch size, divided among the replicas, on such nodes; at least two micro-batches
// where one replica alone goes beyond the initial batch size, if asked for.
double step_seconds(const Application& application, std::int64_t batch_size, int num_replicas, int node,
                    bool at_least_two_alone);

}  // namespace batchscope::policy
