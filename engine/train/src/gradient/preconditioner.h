// SPDX-License-Identifier: Apache-2.0
//
// The divisor of Adam's steps, element by element:
//   sqrt(exp_avg_sq / (1 - beta2^t)) + eps
// Divided by it, gradients have the noise scale of the steps that Adam takes (AdaptDL's
// AdamGradientNoiseScale). In its first five steps Adam's average is too young, and nothing is divided: norms
// of those steps are not comparable with later ones.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace torch::optim {
class Optimizer;
}

namespace batchscope::train {

class Preconditioner {
 public:
  static bool fits(const torch::optim::Optimizer& optimizer);  // Adam and AdamW

  // Preconditions these parameters of the optimizer, which must outlive it.
  Preconditioner(torch::optim::Optimizer& optimizer, std::vector<at::Tensor> parameters);

  // Returns the divisor of the parameter with this index, from the moments as the last step left them;
  // undefined where nothing is to be divided.
  const at::Tensor& divisor(std::size_t parameter);

  // Whether a parameter's first divisor was asked for since the last call.
  bool take_begun() { return std::exchange(begun_, false); }

 private:
  struct Entry {
    at::Tensor parameter, divisor;
    std::size_t group = 0;
    std::int64_t step = 0;  // that it was computed after
  };
  torch::optim::Optimizer& optimizer_;
  std::vector<Entry> entries_;
  bool begun_ = false;
};

}  // namespace batchscope::train
