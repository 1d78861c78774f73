// SPDX-License-Identifier: Apache-2.0
/// \file
/// AdaScale around an optimizer, for loops that bring their own data and batch sizes (FairScale's
/// optim/adascale.py; Johnson et al. 2020, Algorithm 2). Gradients are measured in backward; after the last
/// backward of a step they are averaged over replicas and the gain is known, so that clipping, or logging the
/// gain, fits in before step().
///
///     AdaScaleOptimizer adascale(optimizer, {.num_gradients_to_accumulate = 2});
///     while (!adascale.done(T_SI)) {                       // Algorithm 2: stop by accumulated gain
///       adascale.zero_grad();
///       for (int i = 0; i < 2; ++i) (loss(next()) / 2).backward();
///       adascale.step();                                   // at the schedule's rate times the gain
///       schedule.step_to(adascale.scale_invariant_steps());
///     }
///
/// Its calls are FairScale's, under their names, so that a loop for one works with the other.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace torch::optim {
class Optimizer;
class OptimizerParamGroup;
}  // namespace torch::optim

namespace batchscope {

class GradScaler;

/// An optimizer whose learning rates are multiplied by the gain. Not thread-safe.
class AdaScaleOptimizer {
 public:
  /// FairScale's, under its names.
  struct Options {
    std::optional<double> scale = std::nullopt;      ///< batch size over the base one; none: gradients a step
    std::optional<double> smoothing = std::nullopt;  ///< none: max(1 - gradients a step / 1000, 0)
    int num_gradients_to_accumulate = 1;             ///< backward passes a step
    bool debias_ewma = true;                         ///< false: the paper's averages (goodput/noise_scale.h)
    bool is_scaled_loss = true;  ///< the loss of each backward is divided by num_gradients_to_accumulate
    /// Number of replicas over which gradients are averaged: all (none given), or 1 for this one alone, which
    /// then neither exchanges gradients nor waits for the others.
    std::optional<int> world_size = std::nullopt;
    /// Scaler of the losses, of this optimizer alone: the last backward of a step unscales the gradients, so
    /// that they are measured, and may be clipped, as they are. A step with gradients that are not finite is
    /// left out, on all replicas, and changes neither averages nor iterations; step() updates the scaler.
    GradScaler* scaler = nullptr;
  };
  /// Runs a step's backward passes and returns their loss.
  using LossClosure = std::function<at::Tensor()>;

  /// Gradients a step are world_size x num_gradients_to_accumulate. The optimizer must outlive it; its
  /// parameters that require a gradient are measured. Call it after init_process_group. Throws Error(usage)
  /// for a single gradient a step, which has no spread to learn from, for options that make no sense, and for
  /// a scaler over parameters in fp16.
  AdaScaleOptimizer(torch::optim::Optimizer& optimizer, const Options& options);
  /// Does the same around an optimizer that it keeps, as FairScale's AdaScaleWrapper does: `AdaScaleOptimizer
  /// adascale(std::make_unique<torch::optim::SGD>(parameters, 0.1), {...});`
  AdaScaleOptimizer(std::unique_ptr<torch::optim::Optimizer> optimizer, const Options& options);
  ~AdaScaleOptimizer();
  AdaScaleOptimizer(const AdaScaleOptimizer&) = delete;
  AdaScaleOptimizer& operator=(const AdaScaleOptimizer&) = delete;

  /// Returns the optimizer that it was made with, at its own rates: for schedules, and for checkpoints.
  torch::optim::Optimizer& optimizer() const;

  /// Drops all gradients, also those of a step that was not finished.
  void zero_grad();

  /// Makes the optimizer's step with each group's rate times its gain, and adds the gain to the iterations
  /// done and, outside a loop over data, to the run's. A closure is called first, once, with gradients
  /// enabled: it calls zero_grad() and runs the step's backward passes, and its loss is returned. Without a
  /// closure an undefined tensor is returned. (In FairScale the rates are scaled before the closure runs, so
  /// by the gain of the step before.) Throws Error(usage) before all backward passes of the step have run.
  /// (One too many throws from within backward.) With several replicas the last backward is collective.
  at::Tensor step(const LossClosure& closure = nullptr);

  /// Divides the gradients by num_gradients_to_accumulate, so that the optimizer steps by their mean where
  /// the loss is not scaled. Call it between the last backward of a step and step(). Throws Error(usage)
  /// anywhere else, where the loss is scaled, and where nothing is accumulated.
  void scale_grad_by_num_grads_to_accum();

  /// Adds a group to the optimizer, at any time between steps; its gain is 1 until there is an estimate.
  /// (Where debias_ewma is false, FairScale divides a later group's sums by the number of all steps; here its
  /// mean is that of its own steps.) On all replicas. Throws Error(usage) in the middle of a step, after
  /// unhook(), for a parameter that is in a group already, and for one that the optimizer refuses.
  void add_param_group(const torch::optim::OptimizerParamGroup& group);

  /// Releases the parameters for good: gradients are no longer measured and averaged, gains and state stay as
  /// they are, and the optimizer goes on without AdaScale, by its own calls. The destructor does the same.
  /// From then on step(), zero_grad() and add_param_group() throw Error(usage).
  void unhook();

  double gain() const;                   ///< between 1 and the scale; 1 before the first estimate
  double gain(std::size_t group) const;  ///< of one parameter group

  /// Returns the batch size over the base one.
  double scale() const;
  /// The reason of another scale. The estimated variance is that of the base batch, where scale is 1.
  enum class ScaleChange {
    batch_size,       ///< another batch over the same base: the variance stays
    base_batch_size,  ///< the same batch over another base: the variance is multiplied by new over old scale
    fairscale         ///< FairScale's update_estimate: by old over new, which is neither
  };
  /// Sets the scale of the steps to come. Throws Error(usage) below 1 and in the middle of a step.
  void set_scale(double scale, ScaleChange change = ScaleChange::batch_size);

  /// Sets the weight of the past in the averages, from 0 to below 1.
  double smoothing() const;
  /// Sets num_gradients_to_accumulate; set_scale() mostly follows. update_smoothing: also sets the smoothing
  /// to the default for this number of gradients. Throws Error(usage) for what leaves a single gradient a
  /// step, and in the middle of a step.
  void set_num_gradients_to_accumulate(int count, bool update_smoothing = true);

  double scale_invariant_steps() const;  ///< the sum of gains so far
  bool done(double total) const;         ///< as many scale-invariant iterations are done

  /// Returns, for checkpoints beside the optimizer's own, averages and iterations as plain numbers in a fixed
  /// order. Scale and accumulation are the program's.
  std::vector<double> state() const;
  /// Restores such numbers. Throws Error(corrupt) for another number of parameter groups.
  void restore(const std::vector<double>& state);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;  // shared with the hooks, which a graph may outlive
};

}  // namespace batchscope
