// SPDX-License-Identifier: Apache-2.0
//
// The models that steps are measured on: MLP 784-256-10, the ResNet-18 of examples/cifar, and a Transformer
// of four layers over 128 tokens.
#pragma once

#include <ATen/ATen.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/transformercoder.h>
#include <torch/nn/modules/transformerlayer.h>

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

struct Transformer : Classifier {
  static constexpr std::int64_t kTokens = 128, kWidth = 512;
  Transformer() { register_module("encoder", encoder), register_module("output", output); }
  // (tokens, batch, width)
  at::Tensor forward(const at::Tensor& tokens) override { return output(encoder(tokens).mean(0)); }
  torch::nn::TransformerEncoder encoder{torch::nn::TransformerEncoderOptions(
      torch::nn::TransformerEncoderLayerOptions(kWidth, 8).dropout(0), 4)};
  torch::nn::Linear output{kWidth, 10};
};

}  // namespace batchscope::bench
