// SPDX-License-Identifier: Apache-2.0
//
// The two models that steps are measured on: MLP 784-256-10, and the ResNet-18 of examples/cifar.
#pragma once

#include <ATen/ATen.h>
#include <torch/nn/modules/linear.h>

#include <memory>

#include "resnet18.h"

namespace batchscope::bench {

struct Classifier : torch::nn::Module {
  virtual at::Tensor forward(const at::Tensor& images) = 0;
};

struct Mlp : Classifier {
  Mlp() { register_module("hidden", hidden), register_module("output", output); }
  at::Tensor forward(const at::Tensor& images) override { return output(at::relu(hidden(images))); }
  torch::nn::Linear hidden{784, 256}, output{256, 10};
};

struct ResNet18 : Classifier {
  ResNet18() { register_module("network", network); }
  at::Tensor forward(const at::Tensor& images) override { return network->forward(images); }
  std::shared_ptr<examples::ResNet18> network = std::make_shared<examples::ResNet18>();
};

}  // namespace batchscope::bench
