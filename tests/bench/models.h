// SPDX-License-Identifier: Apache-2.0
//
// The two models that steps are measured on: MLP 784-256-10, and ResNet-18 (He et al. 2015) as used on 32x32
// images: a 3x3 stem without pooling.
#pragma once

#include <ATen/ATen.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

namespace batchscope::bench {

struct Classifier : torch::nn::Module {
  virtual at::Tensor forward(const at::Tensor& images) = 0;
};

struct Mlp : Classifier {
  Mlp() { register_module("hidden", hidden), register_module("output", output); }
  at::Tensor forward(const at::Tensor& images) override { return output(at::relu(hidden(images))); }
  torch::nn::Linear hidden{784, 256}, output{256, 10};
};

inline torch::nn::Conv2d convolution(std::int64_t in, std::int64_t out, int size, int stride) {
  return torch::nn::Conv2d(
      torch::nn::Conv2dOptions(in, out, size).stride(stride).padding(size / 2).bias(false));
}

struct Block : torch::nn::Module {
  Block(std::int64_t in, std::int64_t out, int stride)
      : first(convolution(in, out, 3, stride)),
        second(convolution(out, out, 3, 1)),
        first_norm(out),
        second_norm(out) {
    register_module("first", first), register_module("first_norm", first_norm);
    register_module("second", second), register_module("second_norm", second_norm);
    if (stride != 1 || in != out) {
      shortcut = convolution(in, out, 1, stride);
      shortcut_norm = torch::nn::BatchNorm2d(out);
      register_module("shortcut", shortcut), register_module("shortcut_norm", shortcut_norm);
    }
  }
  at::Tensor forward(const at::Tensor& x) {
    at::Tensor y = at::relu(first_norm(first(x)));
    y = second_norm(second(y));
    return at::relu(y + (shortcut ? shortcut_norm(shortcut(x)) : x));
  }
  torch::nn::Conv2d first, second, shortcut{nullptr};
  torch::nn::BatchNorm2d first_norm, second_norm, shortcut_norm{nullptr};
};

struct ResNet18 : Classifier {
  ResNet18() {
    register_module("stem", stem), register_module("stem_norm", stem_norm);
    std::int64_t in = 64;
    for (const std::int64_t out : {64, 128, 256, 512}) {
      for (const int stride : {out == 64 ? 1 : 2, 1}) {
        blocks->push_back(Block(in, out, stride));
        in = out;
      }
    }
    register_module("blocks", blocks), register_module("output", output);
  }
  at::Tensor forward(const at::Tensor& images) override {
    at::Tensor x = blocks->forward(at::relu(stem_norm(stem(images))));
    return output(x.mean({2, 3}));
  }
  torch::nn::Conv2d stem = convolution(3, 64, 3, 1);
  torch::nn::BatchNorm2d stem_norm{64};
  torch::nn::Sequential blocks;
  torch::nn::Linear output{512, 10};
};

}  // namespace batchscope::bench
