// SPDX-License-Identifier: Apache-2.0
//
// ResNet-18 (He et al. 2015) for images of 32 x 32: a 3 x 3 stem without pooling. `width` is the number of
// channels of the first stage: 64 in the paper; a CPU trains a network of 8 in minutes.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

namespace batchscope::examples {

inline torch::nn::Conv2d convolution(std::int64_t in, std::int64_t out, int size, int stride) {
  return torch::nn::Conv2d(
      torch::nn::Conv2dOptions(in, out, size).stride(stride).padding(size / 2).bias(false));
}

class ResidualBlock : public torch::nn::Module {
 public:
  ResidualBlock(std::int64_t in, std::int64_t out, int stride)
      : first_(convolution(in, out, 3, stride)),
        second_(convolution(out, out, 3, 1)),
        first_norm_(out),
        second_norm_(out) {
    register_module("first", first_), register_module("first_norm", first_norm_);
    register_module("second", second_), register_module("second_norm", second_norm_);
    if (stride == 1 && in == out) return;
    shortcut_ = convolution(in, out, 1, stride);
    shortcut_norm_ = torch::nn::BatchNorm2d(out);
    register_module("shortcut", shortcut_), register_module("shortcut_norm", shortcut_norm_);
  }

  at::Tensor forward(const at::Tensor& x) {
    const at::Tensor y = second_norm_(second_(at::relu(first_norm_(first_(x)))));
    return at::relu(y + (shortcut_ ? shortcut_norm_(shortcut_(x)) : x));
  }

 private:
  torch::nn::Conv2d first_, second_, shortcut_{nullptr};
  torch::nn::BatchNorm2d first_norm_, second_norm_, shortcut_norm_{nullptr};
};

class ResNet18 : public torch::nn::Module {
 public:
  explicit ResNet18(std::int64_t width = 64)
      : stem_(convolution(3, width, 3, 1)), stem_norm_(width), output_(8 * width, 10) {
    register_module("stem", stem_), register_module("stem_norm", stem_norm_);
    std::int64_t in = width;
    for (const std::int64_t out : {width, 2 * width, 4 * width, 8 * width}) {
      for (const int stride : {out == width ? 1 : 2, 1}) {
        blocks_->push_back(ResidualBlock(in, out, stride));
        in = out;
      }
    }
    register_module("blocks", blocks_), register_module("output", output_);
  }

  // [n, 3, 32, 32] to scores [n, 10].
  at::Tensor forward(const at::Tensor& images) {
    return output_(blocks_->forward(at::relu(stem_norm_(stem_(images)))).mean({2, 3}));
  }

 private:
  torch::nn::Conv2d stem_;
  torch::nn::BatchNorm2d stem_norm_;
  torch::nn::Sequential blocks_;
  torch::nn::Linear output_;
};

}  // namespace batchscope::examples
