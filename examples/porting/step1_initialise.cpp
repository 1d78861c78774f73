// SPDX-License-Identifier: Apache-2.0
//
// A training loop on LibTorch, on its way to an elastic one, step by step: engine/train/PORTING.md.
#include <batchscope/train.h>
#include <torch/torch.h>

#include <iostream>

#include "digit_images.h"
#include "network.h"

int main() {
  batchscope::init_process_group();
  torch::manual_seed(0);
  auto digits = batchscope::digits::drawn_digits(0);

  auto dataset = DigitImages(digits.train).map(torch::data::transforms::Stack<>());
  auto loader = torch::data::make_data_loader(dataset, 64);

  batchscope::digits::Network model;
  torch::optim::SGD optimizer(model.parameters(), torch::optim::SGDOptions(0.01).momentum(0.9));
  batchscope::AdaptiveDataParallel adp(model, optimizer);

  for (int epoch = 0; epoch < 3; ++epoch) {
    for (auto& batch : *loader) {
      adp.zero_grad();
      auto loss = torch::nn::functional::cross_entropy(model.forward(batch.data), batch.target);
      loss.backward();
      adp.step();
    }
    std::cout << "epoch " << epoch + 1 << " finished" << std::endl;
  }

  torch::NoGradGuard no_grad;
  DigitImages test(digits.test);
  auto correct = model.forward(test.images()).argmax(1).eq(test.labels());
  std::cout << "accuracy " << correct.to(torch::kDouble).mean().item<double>() << std::endl;
}
