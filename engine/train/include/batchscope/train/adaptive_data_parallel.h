// SPDX-License-Identifier: Apache-2.0
/// \file
/// AdaptiveDataParallel trains one module data-parallel: averages gradients over replicas and micro-batches,
/// measures their noise on the way, scales the learning rate by the scaling rule and counts progress in
/// scale-invariant iterations (AdaScale, Johnson et al. 2020, Algorithm 2; AdaptDL's parallel.py). Its state,
/// the module's, the optimizer's (with its options) and the scheduler's survive restarts.
///
///     AdaptiveDataParallel adp(model, optimizer, &schedule);
///     for (auto& batch : loader) {
///       adp.zero_grad();
///       auto loss = ...;
///       loss.backward();     // .grad() is the averaged gradient from here on: the place to clip it
///       adp.step();          // a no-op in the middle of accumulation
///     }
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace torch {
namespace nn {
class Module;
}
namespace jit {
struct Module;
}
namespace optim {
class Optimizer;
}
}  // namespace torch

namespace batchscope {

namespace goodput {
enum class NoiseMode;
class NoiseScale;
struct NormSample;
}  // namespace goodput
namespace protocol {
class EventFile;
}
class GradScaler;
class LRScheduler;
class ScalingRule;

/// One module in training. Not thread-safe. With several instances, each with a module and an optimizer of
/// its own, the one made last accounts for the loader's step: its gain is the progress, and it must step
/// last.
class AdaptiveDataParallel {
 public:
  /// Options beside the module and the optimizer.
  struct Options {
    std::shared_ptr<ScalingRule> scaling_rule;  ///< none: AdamScale with Adam or AdamW, else AdaScale
    std::string name = "adaptdl-dataparallel";  ///< of the state; one for each instance
    /// How noise is averaged; adaptdl unless told otherwise. In the paper's mode a step's gain is that of the
    /// averages before it, 1 in the first step; in AdaptDL's mode the averages include the step's own
    /// estimate.
    goodput::NoiseMode noise_mode{};
    std::optional<double> smoothing;  ///< as the mode understands it; none: the mode's own
    /// On a replica that makes one gradient a step the noise comes from two successive gradients, as in
    /// AdaptDL; with this from the examples of the step's batch, each a gradient of its own, which has no
    /// bias. Operations with parameters tell of them: linear layers, convolutions, embeddings, layer and
    /// group norms. Where none does, or a BatchNorm trains, a notice says so and the gradients are used
    /// again. Several gradients a step are used as ever. Not with AdamScale.
    bool noise_from_examples = false;
    /// As in AdaptDL: the averages go on when gradients begin to be measured through Adam's moments, in its
    /// sixth step, and two gradients of one replica serve as a pair whatever their batch sizes. Without it
    /// the averages restart there, and gradients of different batch sizes are not a pair.
    bool mixes_estimates = false;
    /// A learning-rate factor is at most this times what it was a step before, beginning with 1; must be
    /// above 1.
    std::optional<double> max_factor_growth;
    /// Scaler of the loss, for this instance only: gradients are unscaled as they come out of backward, and
    /// steps with a gradient that is not finite are skipped on all replicas. Saved with the rest.
    GradScaler* scaler = nullptr;
    std::int64_t bucket_bytes = 25 << 20;  ///< of gradients averaged at once, with several replicas
  };

  /// Broadcasts rank 0's parameters and buffers, then loads the checkpoint's state where there is one. The
  /// module, the optimizer, the scheduler and the scaler must outlive it. Collective: blocks until every
  /// replica is there. Throws Error(usage) for a module without trainable parameters, an optimizer over other
  /// parameters than the module's, a scaler over parameters in fp16, or noise_from_examples with AdamScale.
  ///@{
  AdaptiveDataParallel(torch::nn::Module& module, torch::optim::Optimizer& optimizer, LRScheduler* scheduler,
                       Options options);
  AdaptiveDataParallel(torch::nn::Module& module, torch::optim::Optimizer& optimizer,
                       LRScheduler* scheduler = nullptr);
  ///@}
  /// Does the same for a TorchScript module, as torch::jit::load makes it; the optimizer is made from
  /// module.parameters().
  ///@{
  AdaptiveDataParallel(torch::jit::Module& module, torch::optim::Optimizer& optimizer, LRScheduler* scheduler,
                       Options options);
  AdaptiveDataParallel(torch::jit::Module& module, torch::optim::Optimizer& optimizer,
                       LRScheduler* scheduler = nullptr);
  ///@}
  /// A module that is not one of LibTorch's own, given by its tensors and their names; the Python package
  /// uses it.
  struct Tensors {
    std::vector<std::pair<std::string, at::Tensor>> parameters;  ///< each once
    std::vector<std::pair<std::string, at::Tensor>> buffers;     ///< each once
  };
  /// Does the same for such a module.
  AdaptiveDataParallel(const Tensors& module, torch::optim::Optimizer& optimizer, Options options);
  ~AdaptiveDataParallel();

  /// Clears the gradients, except in the middle of accumulation.
  void zero_grad();

  /// Makes the step after the last micro-batch, in which backward averaged the gradients over all replicas
  /// and blocked on them. Updates the noise scale, multiplies each group's learning rate by its factor for
  /// the optimizer's step, adds the gain to the progress, and updates the scaler. In a skipped step only the
  /// scaler changes. Throws Error(usage) where no backward has made a gradient, on any replica, since the
  /// step before.
  void step();

  /// Lets gradients be averaged at the end of the outer backward, where a part of the module runs a backward
  /// of its own, as activation checkpointing in Python does. Call it within backward, from a hook on the
  /// module's output.
  void expect_backward();

  double gain() const;       ///< of the last step, between 1 and the scale
  double lr_factor() const;  ///< of the last step, first group
  double progress() const;   ///< scale-invariant iterations

  /// Returns AdaptDL's accum_scale: the batch of one full micro-step of all replicas over the initial batch
  /// size, as of the last step; before the first step the number of replicas.
  double accum_scale() const;
  int accum_count() const;  ///< micro-batches of the last step, of each replica; 0 before the first

  /// Returns the statistics behind them: the averages (batchscope/goodput/noise_scale.h).
  const goodput::NoiseScale& noise_scale() const;
  /// Returns the squared norms of the last step, in squared units of the gradient.
  const goodput::NormSample& norms() const;

  /// Writes Gradient_Norm_Sqr, Gradient_Variance, Gain, Learning_Rate_Factor, Accum_Scale, Accum_Count (once
  /// there was a step) and Progress, AdaptDL's tags, below the prefix; as
  /// AdaptiveDataLoaderHelper::to_tensorboard.
  void to_tensorboard(protocol::EventFile& writer, std::int64_t step, std::string_view prefix = {}) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace batchscope
