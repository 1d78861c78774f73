// SPDX-License-Identifier: Apache-2.0
//
// Makes, of each parameter's gradient from backward, the averaged gradient of the step and the squared norms
// that the noise scale lives on:
//   g = 1/(K * A) * sum over replicas k and micro-batches a of w_ka * g_ka      w_ka: gradient_weight
// A hook behind every parameter's gradient accumulator takes each micro-batch's gradient where it lies, so
// that no micro-batch's norm is lost in a sum. With one replica and one micro-batch the gradient stays
// autograd's own and is only measured, together with the one before (previous_gradient.h); with one replica
// and several, it is added up; with several replicas it is added up in buckets (buckets.h) whose all-reduces
// overlap with backward and carry the norms along. Parameters without a gradient count as zero on this
// replica; those without one on any replica keep none. With a GradScaler every gradient is unscaled first, so
// that all of this is about the loss's own gradients.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "adapt/timer.h"
#include "batchscope/goodput/noise_scale.h"

namespace torch::optim {
class Optimizer;
}

namespace batchscope {
class GradScaler;
}

namespace batchscope::train {

using replica::Timer;

class GradientSync {
 public:
  // The parameters of each group; those that require no gradient are left alone. Norms are taken through
  // Adam's preconditioner where there is one, an Adam's or AdamW's over these groups. Throws Error(usage) for
  // a scaler over parameters in fp16.
  GradientSync(const std::vector<std::vector<at::Tensor>>& groups, std::int64_t bucket_bytes,
               torch::optim::Optimizer* preconditioner = nullptr, const GradScaler* scaler = nullptr);
  ~GradientSync();

  // `average` is called at the end of the last backward of a step, on the thread that ends it, where
  // gradients are not yet where the program looks for them; it must launch() and finish(). It is not called
  // after a backward that reached no parameter.
  void on_last_backward(std::function<void()> average);

  // Before the first backward of a step: drops the gradients. A no-op in the middle of accumulation.
  void zero();
  // In a backward that is about to reach the parameters: lets its end average, and not that of another one
  // within it, as activation checkpointing runs. Without it the first gradient finds the end.
  void expect_backward();
  // After the backward of a micro-batch that is not the last of its step.
  void end_micro_step();

  struct Result {
    goodput::NormSample norms;   // all but scale
    bool any = false;            // some parameter got a gradient, on some replica
    bool divisor_begun = false;  // norms are of gradients divided by Adam's moments from this step on
    std::optional<Timer::Interval> waited;  // for other replicas
  };
  // Starts the averaging of what backward has not, at the end of the last backward of a step, or after it.
  // Every replica starts its exchanges of tensors in the same order, so others may be started after this one
  // and before finish().
  void launch();

  // After launch(): every parameter's .grad() is the averaged gradient. Collective.
  Result finish();

  // The previous gradient, for checkpoints; empty but with a single replica and micro-batch.
  std::vector<at::Tensor> previous_gradient() const;
  void restore_previous_gradient(std::vector<at::Tensor> tensors);
  void forget_previous_gradient();

  // The order in which backward makes the gradients, for checkpoints; empty before the first step, and with a
  // single replica. Buckets are cut by it, and where a gradient lies among them decides in which order an
  // all-reduce of three or more adds, down to the last bit.
  std::vector<std::size_t> order() const;
  void restore_order(std::vector<std::size_t> order);  // ignored unless it is one of these parameters

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;  // shared with the hooks, which a graph may outlive
};

}  // namespace batchscope::train
