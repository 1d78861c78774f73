// SPDX-License-Identifier: Apache-2.0
//
// A parameter group's learning rate, whatever the optimizer; and scaled ones during a step.
#pragma once

#include <torch/optim/optimizer.h>

#include <cstddef>
#include <vector>

namespace batchscope::train {

inline double learning_rate(const torch::optim::OptimizerParamGroup& group) {
  return group.options().get_lr();
}

inline void set_learning_rate(torch::optim::OptimizerParamGroup& group, double rate) {
  group.options().set_lr(rate);
}

// The groups' learning rates multiplied by their factors, while it lives.
class ScaledLearningRates {
 public:
  ScaledLearningRates(torch::optim::Optimizer& optimizer, const std::vector<double>& factors)
      : groups_(optimizer.param_groups()) {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      rates_.push_back(learning_rate(groups_[i]));
      set_learning_rate(groups_[i], rates_[i] * factors.at(i));
    }
  }
  ~ScaledLearningRates() {
    for (std::size_t i = 0; i < groups_.size(); ++i) set_learning_rate(groups_[i], rates_[i]);
  }
  ScaledLearningRates(const ScaledLearningRates&) = delete;
  ScaledLearningRates& operator=(const ScaledLearningRates&) = delete;

 private:
  std::vector<torch::optim::OptimizerParamGroup>& groups_;
  std::vector<double> rates_;
};

}  // namespace batchscope::train
