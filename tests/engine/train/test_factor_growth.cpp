// SPDX-License-Identifier: Apache-2.0
//
// The cap on the growth of learning-rate factors, in closed form, alone and in AdaptiveDataParallel.
#include <ATen/ops/tensor.h>
#include <torch/optim/sgd.h>

#include <cmath>
#include <memory>
#include <sstream>

#include "batchscope/protocol/error.h"
#include "batchscope/train/adaptive_data_parallel.h"
#include "batchscope/train/scaling_rule.h"
#include "close.h"
#include "gradient/factor_growth.h"
#include "steps.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::train;
using testing::OneNumber;

namespace {

struct FactorEight : ScalingRule {
  std::vector<double> factors(const Step& step) const override {
    return std::vector<double>(step.grad_sqr.size(), 8.0);
  }
};

}  // namespace

class TestFactorGrowth : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void growsByTheLimitAndFallsFreely() {
    FactorGrowth growth("growth", 2, 1.5);
    const auto capped = [&](double first, double second) {
      std::vector<double> factors{first, second};
      growth.cap(factors);
      return factors;
    };
    QVERIFY(capped(4, 1.2) == (std::vector<double>{1.5, 1.2}));
    QVERIFY(capped(4, 0.5) == (std::vector<double>{2.25, 0.5}));
    QVERIFY(capped(2, 4) == (std::vector<double>{2, 0.75}));
  }

  void goesOnFromItsState() {
    std::stringstream saved;
    std::vector<double> factors{8};
    {
      FactorGrowth growth("growth", 1, 2);
      growth.cap(factors);
      growth.save(saved);
    }
    FactorGrowth growth("growth", 1, 2);
    growth.load(saved);
    factors = {8};
    growth.cap(factors);
    QCOMPARE(factors[0], 4.0);
  }

  void capsTheOptimizersRate() {
    OneNumber model;
    torch::optim::SGD optimizer(model.parameters(), torch::optim::SGDOptions(0.5));
    AdaptiveDataParallel::Options options;
    options.scaling_rule = std::make_shared<FactorEight>();
    options.max_factor_growth = 1.5;
    AdaptiveDataParallel adp(model, optimizer, nullptr, options);
    double expected = 0;
    for (int step = 1; step <= 8; ++step) {
      adp.zero_grad();
      model.weight.sum().backward();
      adp.step();
      const double factor = std::min(8.0, std::pow(1.5, step));
      expected -= 0.5 * factor;
      QVERIFY(close(adp.lr_factor(), factor));
      QVERIFY(close(model.weight.item<double>(), expected));
    }
  }

  void refusesALimitThatStopsAllGrowth() {
    QVERIFY_EXCEPTION_THROWN(FactorGrowth("growth", 1, 1), Error);
    QVERIFY_EXCEPTION_THROWN(FactorGrowth("growth", 1, std::nan("")), Error);
  }
};

BATCHSCOPE_TEST(TestFactorGrowth)
#include "test_factor_growth.moc"
