// SPDX-License-Identifier: Apache-2.0
//
// A parameter group's learning rate, whatever the optimizer.
#pragma once

#include <torch/optim/optimizer.h>

namespace batchscope {

inline double learning_rate(const torch::optim::OptimizerParamGroup& group) {
  return group.options().get_lr();
}

inline void set_learning_rate(torch::optim::OptimizerParamGroup& group, double rate) {
  group.options().set_lr(rate);
}

}  // namespace batchscope
