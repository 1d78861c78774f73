// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/optim/optimizer.h>

#include <cstddef>
#include <vector>

namespace batchscope::train {

// The groups' learning rates multiplied by their factors, while it lives.
class ScaledLearningRates {
 public:
  ScaledLearningRates(torch::optim::Optimizer& optimizer, const std::vector<double>& factors)
      : groups_(optimizer.param_groups()) {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      rates_.push_back(groups_[i].options().get_lr());
      groups_[i].options().set_lr(rates_[i] * factors.at(i));
    }
  }
  ~ScaledLearningRates() {
    for (std::size_t i = 0; i < groups_.size(); ++i) groups_[i].options().set_lr(rates_[i]);
  }
  ScaledLearningRates(const ScaledLearningRates&) = delete;
  ScaledLearningRates& operator=(const ScaledLearningRates&) = delete;

 private:
  std::vector<torch::optim::OptimizerParamGroup>& groups_;
  std::vector<double> rates_;
};

}  // namespace batchscope::train
