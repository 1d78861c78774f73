// SPDX-License-Identifier: Apache-2.0
//
// The drawn digits are worth a network: a linear softmax stays under 92 %, the example's network passes 97 %
// after a few passes, both trained by plain LibTorch.
#include <torch/nn.h>
#include <torch/optim/sgd.h>

#include <cmath>
#include <numbers>

#include "network.h"
#include "stroke_digits.h"
#include "tensors.h"
#include "test_case.h"

using namespace batchscope::digits;

namespace {

// Accuracy on 10,000 images after `passes` over 12,000.
template <class Model>
double train_and_test(Model& model, int passes, double lr) {
  const auto [images, labels] = to_tensors(draw_digits(0, 0, 12'000));
  torch::optim::SGD optimizer(model.parameters(), torch::optim::SGDOptions(lr).momentum(0.9));
  for (int pass = 0; pass < passes; ++pass) {
    const double fall = (1 + std::cos(std::numbers::pi * pass / passes)) / 2;
    for (auto& group : optimizer.param_groups()) group.options().set_lr(lr * fall);
    for (const auto& rows : at::randperm(images.size(0)).split(64)) {
      optimizer.zero_grad();
      at::cross_entropy_loss(model.forward(images.index_select(0, rows)), labels.index_select(0, rows))
          .backward();
      optimizer.step();
    }
  }
  const at::NoGradGuard no_grad;
  const auto [test_images, test_labels] = to_tensors(draw_digits(0, 1, 10'000));
  return model.forward(test_images).argmax(1).eq(test_labels).to(at::kDouble).mean().template item<double>();
}

struct LinearSoftmax : torch::nn::Module {
  LinearSoftmax() { register_module("scores", scores); }
  at::Tensor forward(const at::Tensor& images) { return scores(images.flatten(1).to(at::kFloat).div(255)); }
  torch::nn::Linear scores{kSide * kSide, 10};
};

}  // namespace

class TestDifficulty : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { at::manual_seed(0); }

  void a_linear_softmax_stays_under_92_percent() {
    LinearSoftmax model;
    const double accuracy = train_and_test(model, 8, 0.05);
    qInfo("linear softmax: %.4f", accuracy);
    QVERIFY(accuracy < 0.92);
    QVERIFY(accuracy > 0.5);  // that it learned at all
  }

  void the_network_passes_97_percent() {
    Network network;
    const double accuracy = train_and_test(network, 6, 0.01);
    qInfo("network: %.4f", accuracy);
    QVERIFY(accuracy > 0.97);
  }
};

BATCHSCOPE_TEST(TestDifficulty)
#include "test_difficulty.moc"
