// SPDX-License-Identifier: Apache-2.0
//
// Steps made by hand, where no loader says what a step is; and tensors as what is printed and compared.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/zeros.h>
#include <torch/nn/module.h>

#include <vector>

#include "adapt/step_context.h"
#include "batchscope/protocol/json.h"
#include "batchscope/replica/epoch.h"
#include "batchscope/replica/process_group.h"
#include "batchscope/train/adaptive_data_parallel.h"

namespace batchscope::testing {

// One step of full micro-batches; loss(i) is that of the i-th.
template <class Loss>
void make_step(AdaptiveDataParallel& adp, std::int64_t initial_batch_size, std::int64_t local_batch_size,
               int accumulation_steps, Loss loss) {
  replica::StepContext& context = replica::step_context();
  context = {initial_batch_size, local_batch_size, accumulation_steps};
  for (int micro = 0; micro <= accumulation_steps; ++micro) {
    context.micro_step = micro;
    context.optimizer_step = micro == accumulation_steps;
    context.samples += local_batch_size * num_replicas();
    adp.zero_grad();
    loss(micro).backward();
    adp.step();
  }
}

// Runs one epoch more.
template <class Body>
void in_an_epoch(Body body) {
  for ([[maybe_unused]] const int epoch : remaining_epochs_until(finished_epochs() + 1)) body();
}

struct OneNumber : torch::nn::Module {
  OneNumber() { weight = register_parameter("weight", at::zeros({1}, at::kDouble)); }
  at::Tensor weight;
};

inline std::vector<double> numbers(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.detach().to(at::kCPU, at::kDouble).contiguous().reshape(-1);
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

inline protocol::Json contents(const std::vector<at::Tensor>& tensors) {
  protocol::Json all;
  for (const at::Tensor& tensor : tensors) all.push_back(numbers(tensor));
  return all;
}

}  // namespace batchscope::testing
