// SPDX-License-Identifier: Apache-2.0
/// \file
/// Loss scaling for 16-bit floats (Micikevicius et al. 2018, section 3.2; PyTorch's GradScaler): the loss is
/// multiplied by S, so that small gradients do not vanish in fp16, and gradients are divided by S before they
/// are used. A step whose gradients are not finite is skipped and S multiplied by backoff_factor; after
/// growth_interval steps without such a step S is multiplied by growth_factor.
///
/// With AdaptiveDataParallel, which gets it by its Options, gradients are unscaled as they come out of
/// backward, and adp.step() skips and updates:
///
///     scaler.scale(loss).backward();
///     adp.step();
///
/// With an optimizer of your own, as in PyTorch:
///
///     scaler.scale(loss).backward();
///     scaler.unscale_(optimizer);     // only where gradients are clipped or looked at
///     scaler.step(optimizer);
///     scaler.update();
///
/// Gradients that replicas average by another way must be averaged before unscale_ or step, so that all
/// replicas find the same.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <optional>
#include <vector>

namespace torch::optim {
class Optimizer;
}

namespace batchscope {

/// The scale S of one training loop. Not thread-safe.
class GradScaler {
 public:
  /// Options as PyTorch names them, with its defaults.
  struct Options {
    double init_scale = 65536;    ///< S at first; positive
    double growth_factor = 2;     ///< above 1
    double backoff_factor = 0.5;  ///< above 0, below 1
    int growth_interval = 2000;   ///< steps in a row without a gradient that is not finite; positive
    bool enabled = true;          ///< false: scale() returns its argument, step() just steps
  };

  /// Throws Error(usage) for options outside their bounds.
  explicit GradScaler(const Options& options);
  GradScaler() : GradScaler(Options()) {}  ///< with the defaults

  /// Returns S times the loss, on the loss's device.
  at::Tensor scale(const at::Tensor& loss) const;

  /// Divides the gradients of the optimizer's parameters by S, in place, and remembers whether all were
  /// finite; waits for their device. Throws Error(usage) a second time before update(), after step(), and for
  /// gradients in fp16, which could not hold the quotient.
  void unscale_(torch::optim::Optimizer& optimizer);

  /// Makes the optimizer's step, after unscale_ unless that was called, but not where a gradient is not
  /// finite. Returns whether the step was made. Throws Error(usage) a second time before update(), and where
  /// no parameter has a gradient.
  bool step(torch::optim::Optimizer& optimizer);

  /// Backs off or grows, or sets S to `new_scale`. Call it once after the steps of all optimizers. Throws
  /// Error(usage) when no gradients were unscaled since the last.
  void update(std::optional<double> new_scale = std::nullopt);

  /// Does the same for gradients that were checked elsewhere.
  void update_after(bool found_inf);

  double get_scale() const { return enabled() ? scale_ : 1; }        ///< S; 1 where not enabled
  double growth_factor() const { return options_.growth_factor; }    ///< as set, or restored
  double backoff_factor() const { return options_.backoff_factor; }  ///< as set, or restored
  int growth_interval() const { return options_.growth_interval; }   ///< as set, or restored
  bool enabled() const { return options_.enabled; }                  ///< as set

  /// State for checkpoints (PyTorch's state_dict): S, the two factors, the interval and the steps since S
  /// last changed, as plain numbers; empty where not enabled. restore() takes all of them over, does nothing
  /// where not enabled, and throws Error(corrupt) for numbers that state() cannot have made.
  ///@{
  std::vector<double> state() const;
  void restore(const std::vector<double>& state);
  ///@}

 private:
  enum class Stage { unscaled, stepped };
  struct Optimizer {
    Stage stage = Stage::unscaled;
    bool any = false;        // has gradients
    bool found_inf = false;  // not all of them are finite
  };

  Options options_;
  float scale_;
  int growth_tracker_ = 0;                                          // steps in a row that were taken
  std::map<const torch::optim::Optimizer*, Optimizer> optimizers_;  // since the last update
};

}  // namespace batchscope
