// SPDX-License-Identifier: Apache-2.0
/// \file
/// One cycle (Smith and Topin, "Super-Convergence", 2018; PyTorch's OneCycleLR): the rate rises from peak /
/// div_factor to the peak over the first start_share of the steps and falls to peak / div_factor /
/// final_div_factor over the rest, while the momentum (or Adam's first beta) moves the other way. With three
/// phases it falls to the first rate as fast as it rose, and then further. It sets the rate and ignores the
/// rate before: chain other schedules after it, not before it.
#pragma once

#include <vector>

#include "batchscope/train/lr_scheduler.h"

namespace batchscope {

/// One rise and fall of the rate over a whole training.
class OneCycleLR : public StepwiseLR {
 public:
  /// PyTorch's; start_share is its pct_start.
  struct Options {
    int total_steps = 0;            ///< of the cycle, at least 1
    double start_share = 0.3;       ///< of the steps
    bool cosine = true;             ///< else along straight lines
    bool cycle_momentum = true;     ///< else it stays as it is
    double base_momentum = 0.85;    ///< at the peak of the rate
    double max_momentum = 0.95;     ///< at its ends
    double div_factor = 25;         ///< the peak over the first rate
    double final_div_factor = 1e4;  ///< the first rate over the last
    bool three_phase = false;       ///< else two
  };
  /// Makes a schedule with one peak for all parameter groups. Beyond total_steps - 1 the last rate stays.
  /// Throws Error(usage) for options that make no sense, and for cycle_momentum with an optimizer that has no
  /// momentum.
  OneCycleLR(torch::optim::Optimizer& optimizer, double peak, const Options& options);
  /// Makes a schedule with a peak for each parameter group. Throws as above, and where their numbers differ.
  OneCycleLR(torch::optim::Optimizer& optimizer, std::vector<double> peaks, const Options& options);

 private:
  void apply() override;
  double next(double rate, std::size_t group) const override;
  // Interpolates between the value at the ends of the cycle, the one at its peak and the one at the very end.
  double at_this_step(double low, double high, double last) const;

  std::vector<double> peaks_;
  Options options_;
};

}  // namespace batchscope
