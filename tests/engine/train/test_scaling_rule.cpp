// SPDX-License-Identifier: Apache-2.0
//
// Every scaling rule in AdaptiveDataParallel, in closed form: two parameter groups with gradients that are
// chosen, two micro-batches of the initial batch, so that S = 2 and each group's estimates are known; and a
// rule of the user's own.
#include <ATen/ops/tensor.h>
#include <torch/nn/module.h>
#include <torch/optim/sgd.h>

#include <array>
#include <cmath>
#include <functional>
#include <memory>

#include "batchscope/goodput/noise_scale.h"
#include "batchscope/protocol/error.h"
#include "batchscope/train/adaptive_data_parallel.h"
#include "batchscope/train/lr_scheduler.h"
#include "batchscope/train/scaling_rule.h"
#include "close.h"
#include "steps.h"
#include "test_case.h"

using namespace batchscope;

namespace {

constexpr double kScale = 2, kRates[] = {0.5, 0.1};
constexpr std::int64_t kInitialBatch = 8;
// The two micro-batches' gradients in each group. Of g and h: sqr = g h, var = (g - h)^2 / 2.
constexpr double kGradients[2][2] = {{3, 1}, {5, -2}};

using Factors = std::function<std::array<double, 2>(double progress)>;

double gain(int group) {
  const double g = kGradients[group][0], h = kGradients[group][1];
  const double sqr = std::max(g * h, 0.0), var = (g - h) * (g - h) / 2;
  return (var + sqr) / (var / kScale + sqr);
}

// A rule of a user: it warms up by progress, and leaves the second group alone.
struct WarmUp : ScalingRule {
  std::vector<double> factors(const Step& step) const override {
    if (step.grad_sqr.size() != 2 || step.grad_var.size() != 2 || step.initial_batch_size != kInitialBatch)
      return {};
    return {std::min(step.scale, 1 + step.progress / 100), 1};
  }
};

struct Nothing : ScalingRule {
  std::vector<double> factors(const Step&) const override { return {}; }
};

struct TwoWeights : torch::nn::Module {
  TwoWeights() {
    for (const char* name : {"first", "second"})
      weights.push_back(register_parameter(name, at::tensor({0.0}, at::kDouble)));
  }
  double value(std::size_t group) const { return weights[group].item<double>(); }
  std::vector<at::Tensor> weights;
};

std::unique_ptr<torch::optim::SGD> make_sgd(const TwoWeights& model) {
  std::vector<torch::optim::OptimizerParamGroup> groups;
  for (std::size_t group = 0; group < 2; ++group)
    groups.emplace_back(std::vector<at::Tensor>{model.weights[group]},
                        std::make_unique<torch::optim::SGDOptions>(kRates[group]));
  return std::make_unique<torch::optim::SGD>(groups, torch::optim::SGDOptions(1));
}

AdaptiveDataParallel::Options with(std::shared_ptr<ScalingRule> rule) {
  AdaptiveDataParallel::Options options;
  options.scaling_rule = std::move(rule);
  return options;
}

void step(const TwoWeights& model, AdaptiveDataParallel& adp) {
  testing::make_step(adp, kInitialBatch, kInitialBatch, 1, [&](int micro) {
    return (model.weights[0] * kGradients[0][micro] + model.weights[1] * kGradients[1][micro]).sum();
  });
}

}  // namespace
Q_DECLARE_METATYPE(std::shared_ptr<ScalingRule>)
Q_DECLARE_METATYPE(Factors)

class TestScalingRule : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void scalesEveryGroupsStep_data() {
    QTest::addColumn<std::shared_ptr<ScalingRule>>("rule");
    QTest::addColumn<Factors>("factors");
    const auto row = [](const char* name, std::shared_ptr<ScalingRule> rule, Factors factors) {
      QTest::newRow(name) << std::move(rule) << std::move(factors);
    };
    const auto both = [](double factor) {
      return Factors([=](double) { return std::array{factor, factor}; });
    };
    row("AdaScale", std::make_shared<AdaScale>(), [](double) { return std::array{gain(0), gain(1)}; });
    row("AdamScale", std::make_shared<AdamScale>(), [](double) {
      return std::array{std::sqrt(gain(0)), std::sqrt(gain(1))};
    });
    row("IdentityScale", std::make_shared<IdentityScale>(), both(1));
    row("LinearScale", std::make_shared<LinearScale>(), both(kScale));
    row("SqrtScale", std::make_shared<SqrtScale>(), both(std::sqrt(kScale)));
    // Ten epochs, times S, of 80 samples in batches of the initial size: 200 iterations.
    row("LEGWScale", std::make_shared<LEGWScale>(10, 80), [](double progress) {
      const double factor = std::sqrt(kScale) * std::min(progress / 200, 1.0);
      return std::array{factor, factor};
    });
    row("a user's", std::make_shared<WarmUp>(), [](double progress) {
      return std::array{std::min(kScale, 1 + progress / 100), 1.0};
    });
    row("none given", nullptr, [](double) { return std::array{gain(0), gain(1)}; });
  }
  void scalesEveryGroupsStep() {
    QFETCH(std::shared_ptr<ScalingRule>, rule);
    QFETCH(Factors, factors);
    TwoWeights model;
    const auto optimizer = make_sgd(model);
    AdaptiveDataParallel adp(model, *optimizer, nullptr, with(rule));
    for (int number = 0; number < 10; ++number) {
      const std::array<double, 2> expected = factors(adp.progress());
      const double before[] = {model.value(0), model.value(1)};
      step(model, adp);
      QVERIFY(close(adp.lr_factor(), expected[0]) || adp.lr_factor() == expected[0]);
      for (std::size_t group = 0; group < 2; ++group) {
        const double mean = (kGradients[group][0] + kGradients[group][1]) / 2;
        const double moved = before[group] - model.value(group);
        QVERIFY(std::abs(moved - kRates[group] * expected[group] * mean) < 1e-9);
        QCOMPARE(optimizer->param_groups()[group].options().get_lr(), kRates[group]);
      }
    }
  }

  // r_0 = 1 in the paper, whose gain is of the steps before; AdaptDL's has the step's own estimate.
  void theFirstGainIsOneInThePaper() {
    for (const auto mode : {goodput::NoiseMode::paper, goodput::NoiseMode::adaptdl}) {
      TwoWeights model;
      const auto optimizer = make_sgd(model);
      auto options = with(std::make_shared<AdaScale>());
      options.noise_mode = mode;
      AdaptiveDataParallel adp(model, *optimizer, nullptr, options);
      const double began = adp.progress();
      step(model, adp);
      const bool paper = mode == goodput::NoiseMode::paper;
      // The rule's factor has AdaptDL's floor under a variance of nothing.
      QVERIFY(close(adp.lr_factor(), paper ? 1 : gain(0), 1e-6));
      QVERIFY(close(adp.progress() - began, paper ? 1 : adp.noise_scale().gain(kScale)));
      step(model, adp);
      QVERIFY(close(adp.lr_factor(), gain(0)));
      QVERIFY(close(adp.gain(), adp.noise_scale().gain(kScale)));
    }
  }

  // lr(floor(tau)) for a loop with AdaptiveDataParallel.
  void schedulesFollowProgress() {
    TwoWeights model;
    const auto optimizer = make_sgd(model);
    ExponentialLR schedule(*optimizer, 0.9);
    AdaptiveDataParallel adp(model, *optimizer, &schedule, with(std::make_shared<AdaScale>()));
    const double began = adp.progress();
    for (int number = 0; number < 10; ++number) {
      step(model, adp);
      schedule.step_to(adp.progress() - began);
      QCOMPARE(schedule.steps(), static_cast<int>(std::floor(adp.progress() - began)));
      QVERIFY(close(schedule.learning_rates()[1], kRates[1] * std::pow(0.9, schedule.steps())));
    }
  }

  void aFactorIsNeededForEveryGroup() {
    TwoWeights model;
    const auto optimizer = make_sgd(model);
    AdaptiveDataParallel adp(model, *optimizer, nullptr, with(std::make_shared<Nothing>()));
    QVERIFY_EXCEPTION_THROWN(step(model, adp), Error);
    QCOMPARE(model.value(0), 0.0);
  }
};

BATCHSCOPE_TEST(TestScalingRule)
#include "test_scaling_rule.moc"
