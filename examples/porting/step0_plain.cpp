// SPDX-License-Identifier: Apache-2.0
//
// A training loop on LibTorch, on its way to an elastic one, step by step: engine/train/PORTING.md.
#include <torch/torch.h>

#include <iostream>

#include "digit_images.h"
#include "network.h"

int main() {
  torch::manual_seed(0);
  auto digits = batchscope::digits::drawn_digits(0);

  auto dataset = DigitImages(digits.train).map(torch::data::transforms::Stack<>());
  auto loader = torch::data::make_data_loader(dataset, 64);

  batchscope::digits::Network model;
  torch::optim::SGD optimizer(model.parameters(), torch::optim::SGDOptions(0.01).momentum(0.9));

  for (int epoch = 0; epoch < 3; ++epoch) {
    for (auto& batch : *loader) {
      optimizer.zero_grad();
      auto loss = torch::nn::functional::cross_entropy(model.forward(batch.data), batch.target);
      loss.backward();
      optimizer.step();
    }
    std::cout << "epoch " << epoch + 1 << " finished" << std::endl;
  }

  torch::NoGradGuard no_grad;
  DigitImages test(digits.test);
  auto correct = model.forward(test.images()).argmax(1).eq(test.labels());
  std::cout << "accuracy " << correct.to(torch::kDouble).mean().item<double>() << std::endl;
}
