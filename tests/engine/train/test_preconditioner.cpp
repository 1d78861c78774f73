// SPDX-License-Identifier: Apache-2.0
//
// The noise scale of Adam: norms of gradients over sqrt(exp_avg_sq / (1 - beta2^t)) + eps, in closed form
// from gradients that are chosen; and Adam's moments, which changes of the batch size leave alone.
#include <ATen/ops/tensor.h>
#include <torch/nn/module.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include <array>
#include <cmath>
#include <memory>

#include "batchscope/goodput/noise_scale.h"
#include "batchscope/train/adaptive_data_parallel.h"
#include "batchscope/train/scaling_rule.h"
#include "close.h"
#include "steps.h"
#include "test_case.h"

using namespace batchscope;

namespace {

using Gradient = std::array<double, 2>;

constexpr double kBeta2 = 0.9, kEps = 0.01;

struct TwoNumbers : torch::nn::Module {
  TwoNumbers() { weight = register_parameter("weight", at::tensor({1.0, -1.0}, at::kDouble)); }
  at::Tensor weight;
};

double sqr(const Gradient& gradient, const Gradient& divisor) {
  return std::pow(gradient[0] / divisor[0], 2) + std::pow(gradient[1] / divisor[1], 2);
}

Gradient mean(const Gradient& left, const Gradient& right) {
  return {(left[0] + right[0]) / 2, (left[1] + right[1]) / 2};
}

// The second moments of a sequence of steps, and what they divide by.
struct Moments {
  Gradient average{};
  int steps = 0;

  void add(const Gradient& gradient) {
    for (int i = 0; i < 2; ++i) average[i] = kBeta2 * average[i] + (1 - kBeta2) * gradient[i] * gradient[i];
    ++steps;
  }
  Gradient divisor() const {
    if (steps < 5) return {1, 1};
    const double correction = 1 - std::pow(kBeta2, steps);
    return {std::sqrt(average[0] / correction) + kEps, std::sqrt(average[1] / correction) + kEps};
  }
};

// A different pair at every step, the second element a hundred times the first.
Gradient gradient_of(int step, int micro) {
  return {0.1 + 0.03 * (step % 4) + 0.02 * micro, 10 - 1.5 * (step % 3) + 2.0 * micro};
}

// One step of that many micro-batches.
void step(TwoNumbers& model, AdaptiveDataParallel& adp, int number, int micro_batches) {
  testing::make_step(adp, 8, 8, micro_batches - 1, [&](int micro) {
    const Gradient gradient = gradient_of(number, micro);
    return (model.weight * at::tensor({gradient[0], gradient[1]}, at::kDouble)).sum();
  });
}

std::unique_ptr<torch::optim::Optimizer> make_optimizer(bool decoupled, TwoNumbers& model) {
  if (decoupled)
    return std::make_unique<torch::optim::AdamW>(
        model.parameters(), torch::optim::AdamWOptions(0.01).betas({0.8, kBeta2}).eps(kEps));
  return std::make_unique<torch::optim::Adam>(model.parameters(),
                                              torch::optim::AdamOptions(0.01).betas({0.8, kBeta2}).eps(kEps));
}

AdaptiveDataParallel::Options named(const std::string& name, std::shared_ptr<ScalingRule> rule = nullptr) {
  AdaptiveDataParallel::Options options;
  options.name = name;
  options.scaling_rule = std::move(rule);
  return options;
}

}  // namespace

class TestPreconditioner : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void normsAreOfPreconditionedGradients_data() {
    QTest::addColumn<bool>("decoupled");
    QTest::addColumn<bool>("mixes");
    QTest::newRow("Adam") << false << false;
    QTest::newRow("AdamW") << true << false;
    QTest::newRow("averages that go on, as AdaptDL's") << false << true;
  }

  void normsAreOfPreconditionedGradients() {
    QFETCH(bool, decoupled);
    QFETCH(bool, mixes);
    TwoNumbers model;
    const auto optimizer = make_optimizer(decoupled, model);
    auto options = named(QTest::currentDataTag());
    options.mixes_estimates = mixes;
    AdaptiveDataParallel adp(model, *optimizer, nullptr, options);
    Moments moments;
    goodput::NoiseScale expected(1);
    for (int number = 0; number < 12; ++number) {
      step(model, adp, number, 2);
      const Gradient left = gradient_of(number, 0), right = gradient_of(number, 1), both = mean(left, right);
      const Gradient divisor = moments.divisor();
      const double local = sqr(left, divisor) + sqr(right, divisor);
      QVERIFY2(close(adp.norms().local_sqr[0], local, 1e-9), qPrintable(QString::number(number)));
      QVERIFY2(close(adp.norms().total_sqr[0], sqr(both, divisor), 1e-9),
               qPrintable(QString::number(number)));
      if (number == 5 && !mixes) expected.begin_anew();  // the first that is divided
      expected.update({{local}, {sqr(both, divisor)}, 2, 2, {}, {}});
      QVERIFY(close(adp.gain(), expected.gain(2), 1e-9));
      QVERIFY(close(adp.lr_factor(), std::sqrt(expected.gain(2)), 1e-9));  // AdamScale is the default
      moments.add(both);
    }
  }

  // The difference estimator measures the gradient before through this step's divisor too.
  void pairsShareADivisor() {
    TwoNumbers model;
    const auto optimizer = make_optimizer(false, model);
    AdaptiveDataParallel adp(model, *optimizer, nullptr, named("pairs"));
    Moments moments;
    for (int number = 0; number < 12; ++number) {
      step(model, adp, number, 1);
      const Gradient now = gradient_of(number, 0), before = gradient_of(number - 1, 0);
      const Gradient divisor = moments.divisor();
      QVERIFY(close(adp.norms().total_sqr[0], sqr(now, divisor), 1e-9));
      QCOMPARE(adp.norms().previous_sqr.empty(), number == 0);
      if (number > 0) {
        QVERIFY(close(adp.norms().previous_sqr[0], sqr(before, divisor), 1e-9));
        QVERIFY(close(adp.norms().mean_of_two_sqr[0], sqr(mean(now, before), divisor), 1e-9));
      }
      moments.add(now);
    }
  }

  // A pair is dropped where the batch size changes between its gradients, and the next one is one again.
  void pairsAreOfOneBatchSize() {
    for (const bool mixes : {false, true}) {
      TwoNumbers model;
      torch::optim::SGD optimizer(model.parameters(), torch::optim::SGDOptions(0.01));
      auto options = named(mixes ? "any-pairs" : "own-pairs");
      options.mixes_estimates = mixes;
      AdaptiveDataParallel adp(model, optimizer, nullptr, options);
      for (int number = 0; number < 6; ++number) {
        testing::make_step(adp, 8, number < 3 ? 8 : 16, 0, [&](int) {
          return (model.weight * at::tensor({1.0 + number, 2.0}, at::kDouble)).sum();
        });
        QCOMPARE(adp.norms().previous_sqr.empty(), number == 0 || (number == 3 && !mixes));
      }
    }
  }

  void momentsOutliveEveryScale() {
    TwoNumbers model;
    const auto optimizer = make_optimizer(false, model);
    AdaptiveDataParallel adp(model, *optimizer, nullptr, named("scales"));
    Moments moments;
    for (int number = 0; number < 12; ++number) {
      const int micro_batches = 1 + number % 3;
      step(model, adp, number, micro_batches);
      Gradient sum{};
      for (int micro = 0; micro < micro_batches; ++micro)
        for (int i = 0; i < 2; ++i) sum[i] += gradient_of(number, micro)[i] / micro_batches;
      moments.add(sum);
      const auto& state =
          static_cast<const torch::optim::AdamParamState&>(*optimizer->state().begin()->second);
      QCOMPARE(state.step(), static_cast<std::int64_t>(number) + 1);
      for (int i = 0; i < 2; ++i)
        QVERIFY(close(state.exp_avg_sq()[i].item<double>(), moments.average[i], 1e-9));
    }
  }

  void otherRulesMeasureTheGradientItself() {
    const auto check = [](torch::optim::Optimizer& optimizer, TwoNumbers& model,
                          AdaptiveDataParallel::Options options) {
      AdaptiveDataParallel adp(model, optimizer, nullptr, std::move(options));
      for (int number = 0; number < 8; ++number) {
        step(model, adp, number, 2);
        const Gradient both = mean(gradient_of(number, 0), gradient_of(number, 1));
        QVERIFY(close(adp.norms().total_sqr[0], sqr(both, {1, 1}), 1e-9));
      }
    };
    TwoNumbers model, other;
    const auto adam = make_optimizer(false, model);
    check(*adam, model, named("adascale-of-adam", std::make_shared<AdaScale>()));
    torch::optim::SGD sgd(other.parameters(), torch::optim::SGDOptions(0.01));
    check(sgd, other, named("adamscale-of-sgd", std::make_shared<AdamScale>()));
  }
};

BATCHSCOPE_TEST(TestPreconditioner)
#include "test_preconditioner.moc"
