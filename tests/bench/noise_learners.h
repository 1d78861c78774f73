// SPDX-License-Identifier: Apache-2.0
//
// The models whose noise scale is measured (bench_noise.cpp), with their data, which are all in memory, and
// the settings of their examples.
#pragma once

#include <ATen/ATen.h>
#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "corpus.h"
#include "dcgan/networks.h"
#include "digit_data.h"
#include "grammar.h"
#include "language_model/models.h"
#include "network.h"
#include "pictures.h"
#include "resnet18.h"
#include "tensors.h"

namespace batchscope::bench {

// A model with its data, its loss for some of the samples, and the settings of its example.
struct Learner {
  virtual ~Learner() = default;
  virtual at::Tensor loss(const at::Tensor& samples) = 0;
  // Trains what the model trains against.
  virtual void train_opponent(const at::Tensor& /*samples*/) {}
  virtual std::unique_ptr<torch::optim::Optimizer> make_optimizer() {
    return std::make_unique<torch::optim::SGD>(
        model->parameters(), torch::optim::SGDOptions(lr).momentum(momentum).weight_decay(weight_decay));
  }

  std::shared_ptr<torch::nn::Module> model;
  std::int64_t samples = 0, batch_size = 0;
  double lr = 0, momentum = 0, weight_decay = 0, clip = 0;
  int steps = 2000;
  // BatchNorm makes a sample's gradient depend on its batch: that of a batch is not the mean of its halves'.
  bool normalises = false;

  // The mean gradient over samples, as one vector.
  at::Tensor gradient(const at::Tensor& of) {
    model->zero_grad();
    loss(of).backward();
    std::vector<at::Tensor> parts;
    for (const at::Tensor& parameter : model->parameters()) parts.push_back(parameter.grad().flatten());
    return at::cat(parts);
  }
};

struct LinearRegression final : Learner {
  LinearRegression() {
    const std::int64_t features = 16;
    x_ = at::randn({8192, features});
    at::Tensor w = at::randn({features});
    y_ = x_.mv(w / w.norm()) + 0.5 * at::randn({x_.size(0)});
    linear_ = std::make_shared<torch::nn::LinearImpl>(torch::nn::LinearOptions(features, 1).bias(false));
    model = linear_;
    samples = x_.size(0), batch_size = 16, lr = 0.0005;
  }
  at::Tensor loss(const at::Tensor& of) override {
    return at::mse_loss(linear_->forward(x_.index_select(0, of)).view(-1), y_.index_select(0, of));
  }
  std::shared_ptr<torch::nn::LinearImpl> linear_;
  at::Tensor x_, y_;
};

struct Digits final : Learner {
  Digits() {
    std::tie(images_, labels_) = digits::to_tensors(digits::drawn_digits(0).train);
    network_ = std::make_shared<digits::Network>();
    model = network_;
    samples = images_.size(0), batch_size = 32, lr = 0.01, momentum = 0.9;
  }
  at::Tensor loss(const at::Tensor& of) override {
    return at::cross_entropy_loss(network_->forward(images_.index_select(0, of)),
                                  labels_.index_select(0, of));
  }
  std::shared_ptr<digits::Network> network_;
  at::Tensor images_, labels_;
};

// Windows of a text in any order: without the state that the example carries from one to the next.
struct Text final : Learner {
  Text() {
    constexpr std::int64_t kLength = 16;
    const auto corpus = examples::make_corpus(examples::written_text(0, 60'000), 10'000, "grammar");
    const at::Tensor text = at::tensor(corpus.train);
    const std::int64_t windows = (text.size(0) - 1) / kLength;
    words_ = text.slice(0, 0, windows * kLength).view({windows, kLength});
    next_ = text.slice(0, 1, windows * kLength + 1).view({windows, kLength});
    lstm_ = std::make_shared<examples::Lstm>(std::ssize(corpus.vocabulary), examples::ModelOptions{});
    model = lstm_;
    samples = windows, batch_size = 8, lr = 0.5, momentum = 0.9, clip = 1;
    steps = 1000;
  }
  at::Tensor loss(const at::Tensor& of) override {
    lstm_->forget();
    const at::Tensor scores =
        lstm_->forward(words_.index_select(0, of).t(), at::zeros({of.size(0)}, at::kBool));
    return at::cross_entropy_loss(scores.flatten(0, 1), next_.index_select(0, of).t().flatten());
  }
  std::shared_ptr<examples::Lstm> lstm_;
  at::Tensor words_, next_;
};

// ResNet-18 on drawn pictures, which are not moved or mirrored, so that they are all of the data.
struct Cifar final : Learner {
  Cifar() {
    const examples::Pictures pictures = examples::draw_pictures(0, 0, 2'000);
    pixels_ = at::tensor(pictures.pixels).view({-1, 3, 32, 32});
    labels_ = at::tensor(pictures.labels).to(at::kLong);
    network_ = std::make_shared<examples::ResNet18>(4);
    model = network_;
    samples = pixels_.size(0), batch_size = 32, lr = 0.05, momentum = 0.9, weight_decay = 5e-4;
    steps = 500, normalises = true;
  }
  at::Tensor loss(const at::Tensor& of) override {
    const at::Tensor images = (pixels_.index_select(0, of).to(at::kFloat) - 121) / 64;
    return at::cross_entropy_loss(network_->forward(images), labels_.index_select(0, of));
  }
  std::shared_ptr<examples::ResNet18> network_;
  at::Tensor pixels_, labels_;
};

// DCGAN's generator, whose noise scale the example's run records. Each image has its own noise to draw from,
// the same at every pass, so that both are all of the data.
struct Dcgan final : Learner {
  Dcgan() {
    auto drawn = digits::drawn_digits(0).train;
    digits::keep_first(drawn, 4'000);
    images_ = digits::to_tensors(std::move(drawn)).first;
    noise_ = at::randn({images_.size(0), 64, 1, 1});
    model = generator_.ptr();
    samples = images_.size(0), batch_size = 64, lr = 2e-4;
    steps = 500, normalises = true;
    examples::freeze(discriminator_, true);
  }
  std::unique_ptr<torch::optim::Optimizer> make_optimizer() override { return adam(generator_); }
  void train_opponent(const at::Tensor& with) override {
    examples::freeze(discriminator_, false);
    discriminator_->zero_grad();
    const at::Tensor real = images_.index_select(0, with).unsqueeze(1).to(at::kFloat) / 127.5 - 1;
    const at::Tensor drawn = generator_->forward(noise_.index_select(0, with)).detach();
    const at::Tensor told = examples::loss_against(discriminator_->forward(real), 1) +
                            examples::loss_against(discriminator_->forward(drawn), 0);
    told.backward();
    opponents_->step();
    examples::freeze(discriminator_, true);
  }
  at::Tensor loss(const at::Tensor& of) override {
    return examples::loss_against(discriminator_->forward(generator_->forward(noise_.index_select(0, of))),
                                  1);
  }
  std::unique_ptr<torch::optim::Optimizer> adam(torch::nn::Sequential& network) const {
    return std::make_unique<torch::optim::Adam>(network->parameters(),
                                                torch::optim::AdamOptions(2e-4).betas({0.5, 0.999}));
  }
  torch::nn::Sequential generator_ = examples::make_generator(64, 16),
                        discriminator_ = examples::make_discriminator(16);
  std::unique_ptr<torch::optim::Optimizer> opponents_ = adam(discriminator_);
  at::Tensor images_, noise_;
};

inline std::unique_ptr<Learner> make(const std::string& model, int seed) {
  at::manual_seed(static_cast<std::uint64_t>(seed));
  if (model == "digits") return std::make_unique<Digits>();
  if (model == "language_model") return std::make_unique<Text>();
  if (model == "cifar") return std::make_unique<Cifar>();
  if (model == "dcgan") return std::make_unique<Dcgan>();
  return std::make_unique<LinearRegression>();
}

}  // namespace batchscope::bench
