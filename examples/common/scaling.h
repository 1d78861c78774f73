// SPDX-License-Identifier: Apache-2.0
//
// The scaling of an example, and its schedule. Normally goodput chooses the batch size. With --micro-batches
// n the scale is fixed, as in the AdaScale paper's comparison (Johnson et al. 2020, section 5): every replica
// takes n micro-batches of the initial batch size per step, S = n * replicas. Then
//
//   adascale   trains until T scale-invariant iterations are done (T: the iterations of an S = 1 training),
//              at rate gain * lr(tau) with tau the scale-invariant iterations so far (Algorithm 2). The
//              averages of the noise are AdaptDL's, the paper's, or over a shorter memory (--noise-mode);
//   linear     trains N = T / S iterations, as many samples as S = 1, at rate S * lr(t T / N), reached by a
//              linear warm-up from lr(0) over the first 5.5 % of N (Goyal et al. 2017). More epochs make N
//              larger and stretch the schedule with it.
//
// lr() falls by the schedule: along a cosine, or in steps to a tenth at one half and at three quarters of T.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "batchscope/replica/adaptive_data_loader_helper.h"
#include "batchscope/train/adaptive_data_parallel.h"
#include "batchscope/train/lr_scheduler.h"

namespace CLI {
class App;
}

namespace batchscope::examples {

struct ScalingOptions {
  std::int64_t batch_size;  // initial; the learning rate is for it
  std::int64_t max_batch_size;
  bool no_autoscale = false;
  bool no_accumulation = false;
  int micro_batches = 0;
  std::string rule = "adascale";
  std::string noise_mode = "adaptdl";
  std::string noise_from = "gradients";
  std::string schedule = "cosine";
};

// Adds options for all of them.
void add_scaling_options(CLI::App& app, ScalingOptions& options);

class Scaling {
 public:
  // Plans for this many samples per pass. Make it before the AdaptiveDataParallel, which takes schedule() and
  // parallel().
  Scaling(const ScalingOptions& options, std::int64_t samples, int epochs,
          torch::optim::Optimizer& optimizer);

  // Fixes the scale, or lets goodput choose.
  void apply(AdaptiveDataLoaderMixin& loader) const;
  LRScheduler* schedule() { return &schedule_; }
  AdaptiveDataParallel::Options parallel() const;

  // Moves the schedule on. Call it after every adp.step(), also of a micro-batch.
  void step(const AdaptiveDataParallel& adp);

 private:
  class Linear;

  double factor(double step) const;  // of the base rate

  ScalingOptions options_;
  double scale_;                    // of the linear rule, else 1
  double duration_;                 // of training, in steps of the schedule: T, or N
  std::shared_ptr<Linear> linear_;  // null: AdaScale
  LambdaLR schedule_;
};

}  // namespace batchscope::examples
