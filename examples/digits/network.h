// SPDX-License-Identifier: Apache-2.0
//
// A small convolutional network for images of 28 x 28: two convolutions of 5 x 5 with stride 2 and two linear
// layers; 114,314 parameters.
#pragma once

#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

namespace batchscope::digits {

class Network : public torch::nn::Module {
 public:
  Network() {
    register_module("conv1", conv1_);
    register_module("conv2", conv2_);
    register_module("hidden", hidden_);
    register_module("output", output_);
  }

  // Bytes [n, 28, 28] to scores [n, 10].
  at::Tensor forward(const at::Tensor& images) {
    auto x = images.unsqueeze(1).to(at::kFloat).sub_(37).div_(63);  // about mean 0, variance 1
    x = at::relu(conv1_(x));
    x = at::relu(conv2_(x));
    return output_(at::relu(hidden_(x.flatten(1))));
  }

 private:
  torch::nn::Conv2d conv1_{torch::nn::Conv2dOptions(1, 16, 5).stride(2).padding(2)};
  torch::nn::Conv2d conv2_{torch::nn::Conv2dOptions(16, 32, 5).stride(2).padding(2)};
  torch::nn::Linear hidden_{32 * 7 * 7, 64}, output_{64, 10};
};

}  // namespace batchscope::digits
