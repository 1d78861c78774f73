// SPDX-License-Identifier: Apache-2.0
//
// The model of the recorded trajectories, and their numbers as tensors.
#pragma once

#include <ATen/ATen.h>
#include <torch/nn/modules/linear.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "batchscope/protocol/json.h"

namespace batchscope::testing {

inline at::Tensor tensor(const protocol::Json& values) {
  const auto numbers = values.get<std::vector<double>>();
  return at::tensor(numbers, at::kDouble).to(at::kFloat);
}

inline at::Tensor rows(const protocol::Json& values) {
  std::vector<at::Tensor> all;
  for (const protocol::Json& row : values) all.push_back(tensor(row));
  return at::stack(all);
}

inline protocol::Json named(const protocol::Json& trajectories, const std::string& name) {
  for (const protocol::Json& one : trajectories)
    if (one["config"]["name"] == name) return one;
  return {};
}

struct GoldenModel : torch::nn::Module {
  explicit GoldenModel(const protocol::Json& weights) {
    register_module("first", first), register_module("second", second);
    const at::NoGradGuard no_grad;
    auto all = parameters();
    for (std::size_t i = 0; i < all.size(); ++i) all[i].copy_(tensor(weights[i]).view(all[i].sizes()));
  }
  // Mean squared error over some of the samples.
  at::Tensor loss(const at::Tensor& x, const at::Tensor& y, const protocol::Json& samples) {
    const at::Tensor index = at::tensor(samples.get<std::vector<std::int64_t>>(), at::kLong);
    const at::Tensor output = second(at::tanh(first(x.index_select(0, index))));
    return (output.squeeze(1) - y.index_select(0, index)).square().mean();
  }
  torch::nn::Linear first{5, 4}, second{4, 1};
};

}  // namespace batchscope::testing
