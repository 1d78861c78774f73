// SPDX-License-Identifier: Apache-2.0
//
// An optimizer that is none of LibTorch's, as one of Python's is: it steps by itself, keeps its own state in
// the checkpoint, and tells its second moments where it is Adam's kin.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/optim/optimizer.h>

#include <cstdint>

namespace batchscope::train {

// Second moment of one parameter, as the last step left it.
struct SecondMoment {
  at::Tensor exp_avg_sq;  // undefined: there is none
  std::int64_t step = 0;
  double beta2 = 0, eps = 0;
};

class ForeignOptimizer : public torch::optim::Optimizer {
 public:
  using Optimizer::Optimizer;

  virtual bool has_second_moments() const = 0;
  virtual SecondMoment second_moment(const at::Tensor& parameter) const = 0;
};

}  // namespace batchscope::train
