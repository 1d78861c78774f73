// SPDX-License-Identifier: Apache-2.0
//
// Trains ResNet-18 elastically on next to no data: what bench_restart restarts to see a large state move.
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <torch/optim/sgd.h>

#include "batchscope/train.h"
#include "models.h"

int main() {
  using namespace batchscope;
  init_process_group();
  at::manual_seed(0);
  const TensorDataset data(at::randn({64, 3, 32, 32}), at::randint(10, {64}, at::kLong));
  AdaptiveDataLoader loader(data, {.batch_size = 2});
  const auto device = replica_device();
  bench::ResNet18 model;
  model.to(device);
  torch::optim::SGD optimizer(model.parameters(), torch::optim::SGDOptions(0.01).momentum(0.9));
  AdaptiveDataParallel adp(model, optimizer);
  for ([[maybe_unused]] const int epoch : remaining_epochs_until(1000))
    for (auto& batch : loader) {
      adp.zero_grad();
      at::cross_entropy_loss(model.forward(batch.data.to(device)), batch.target.to(device)).backward();
      adp.step();
    }
}
