// SPDX-License-Identifier: Apache-2.0
/// \file
/// One cycle (Smith and Topin, "Super-Convergence", 2018; PyTorch's OneCycleLR): the rate rises from
/// peak / div_factor to the peak over the first start_share of the steps and falls to
/// peak / div_factor / final_div_factor over the rest, while the momentum (or Adam's first beta) moves the
/// other way. With three phases it falls to where it began as fast as it rose, and then on. It sets the rate
/// whatever it was: chain others behind it, not before.
#pragma once

#include <vector>

#include "batchscope/train/lr_scheduler.h"

namespace batchscope {

class OneCycleLR : public StepwiseLR {
 public:
  struct Options {
    int total_steps = 0;
    double start_share = 0.3;  ///< of the steps
    bool cosine = true;        ///< else along straight lines
    bool cycle_momentum = true;
    double base_momentum = 0.85, max_momentum = 0.95;
    double div_factor = 25, final_div_factor = 1e4;
    bool three_phase = false;
  };
  /// The peak: of all parameter groups, or of each. Beyond total_steps - 1 the last rate stays. Throws
  /// Error(usage) for options that make no sense, another number of peaks than groups, and cycle_momentum
  /// with an optimizer that has no momentum.
  OneCycleLR(torch::optim::Optimizer& optimizer, double peak, const Options& options);
  OneCycleLR(torch::optim::Optimizer& optimizer, std::vector<double> peaks, const Options& options);

 private:
  void apply() override;
  double next(double rate, std::size_t group) const override;
  // Between the value at the ends of the cycle, the one at its peak and the one at the very end.
  double at_this_step(double low, double high, double last) const;

  std::vector<double> peaks_;
  Options options_;
};

}  // namespace batchscope
