// SPDX-License-Identifier: Apache-2.0
//
// The phases of the cycle; formulas in one_cycle_lr.h. PyTorch's phases end at start_share * total - 1 steps
// (and, of three, at twice that), which need not be whole numbers.
#include "batchscope/train/one_cycle_lr.h"

#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>

#include "batchscope/protocol/error.h"
#include "optimizer/require.h"

namespace batchscope {

namespace {

namespace optim = torch::optim;

// False for an optimizer that has none.
bool set_momentum(optim::OptimizerOptions& options, double momentum) {
  if (auto* sgd = dynamic_cast<optim::SGDOptions*>(&options)) return sgd->momentum(momentum), true;
  if (auto* rmsprop = dynamic_cast<optim::RMSpropOptions*>(&options))
    return rmsprop->momentum(momentum), true;
  if (auto* adam = dynamic_cast<optim::AdamOptions*>(&options))
    return adam->betas({momentum, std::get<1>(adam->betas())}), true;
  if (auto* adamw = dynamic_cast<optim::AdamWOptions*>(&options))
    return adamw->betas({momentum, std::get<1>(adamw->betas())}), true;
  return false;
}

}  // namespace

OneCycleLR::OneCycleLR(optim::Optimizer& optimizer, double peak, const Options& options)
    : OneCycleLR(optimizer, std::vector<double>(optimizer.param_groups().size(), peak), options) {}

OneCycleLR::OneCycleLR(optim::Optimizer& optimizer, std::vector<double> peaks, const Options& options)
    : StepwiseLR(optimizer), peaks_(std::move(peaks)), options_(options) {
  require(peaks_.size() == base().size(), "OneCycleLR: one peak is needed for each parameter group");
  require(options.total_steps > 0, "OneCycleLR: total_steps must be positive");
  require(options.start_share >= 0 && options.start_share <= 1, "OneCycleLR: start_share must be in [0, 1]");
  require(options.div_factor > 0 && options.final_div_factor > 0, "OneCycleLR: the factors must be positive");
  apply();
}

double OneCycleLR::at_this_step(double low, double high, double last) const {
  const double step = std::min(steps(), options_.total_steps - 1);
  const double rise_ends = options_.start_share * options_.total_steps - 1;
  const double fall_ends = options_.three_phase ? 2 * rise_ends : options_.total_steps - 1;
  const auto between = [&](double from, double to, double begin, double end) {
    const double done = end > begin ? (step - begin) / (end - begin) : 1;
    return options_.cosine ? to + (from - to) / 2 * (1 + std::cos(std::numbers::pi * done))
                           : from + (to - from) * done;
  };
  if (step <= rise_ends) return between(low, high, 0, rise_ends);
  if (!options_.three_phase) return between(high, last, rise_ends, fall_ends);
  if (step <= fall_ends) return between(high, low, rise_ends, fall_ends);
  return between(low, last, fall_ends, options_.total_steps - 1);
}

double OneCycleLR::next(double, std::size_t group) const {
  const double low = peaks_[group] / options_.div_factor;
  return at_this_step(low, peaks_[group], low / options_.final_div_factor);
}

void OneCycleLR::apply() {
  StepwiseLR::apply();
  if (!options_.cycle_momentum) return;
  const double momentum = at_this_step(options_.max_momentum, options_.base_momentum, options_.max_momentum);
  for (auto& group : optimizer().param_groups())
    require(set_momentum(group.options(), momentum),
            "OneCycleLR: the optimizer has no momentum to cycle: set cycle_momentum to false");
}

}  // namespace batchscope
