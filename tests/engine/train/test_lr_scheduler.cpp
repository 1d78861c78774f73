// SPDX-License-Identifier: Apache-2.0
//
// Schedules against their closed forms, with two parameter groups, chained, and from a saved state.
#include <ATen/ops/zeros.h>
#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>

#include <cmath>
#include <functional>
#include <memory>
#include <numbers>

#include "batchscope/protocol/error.h"
#include "batchscope/train/chained_lr.h"
#include "batchscope/train/lr_scheduler.h"
#include "batchscope/train/one_cycle_lr.h"
#include "test_case.h"

using namespace batchscope;

namespace {

constexpr double kBases[] = {0.5, 0.02};

std::unique_ptr<torch::optim::SGD> make_optimizer() {
  std::vector<torch::optim::OptimizerParamGroup> groups;
  for (const double base : kBases)
    groups.emplace_back(std::vector<at::Tensor>{at::zeros({1})},
                        std::make_unique<torch::optim::SGDOptions>(base));
  return std::make_unique<torch::optim::SGD>(groups, torch::optim::SGDOptions(1.0));
}

using Make = std::function<std::unique_ptr<StepwiseLR>(torch::optim::Optimizer&)>;
using Expected = std::function<double(int, double)>;  // after e steps, from this base

template <class Schedule, class... Arguments>
Make schedule(Arguments... arguments) {
  return
      [=](torch::optim::Optimizer& optimizer) { return std::make_unique<Schedule>(optimizer, arguments...); };
}

double cosine(double from, double to, double share) {
  return to + (from - to) * (1 + std::cos(std::numbers::pi * share)) / 2;
}

struct Case {
  const char* name;
  Make make;
  Expected expected;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"constant", schedule<ConstantLR>(), [](int, double base) { return base; }},
      {"step", schedule<StepLR>(3, 0.5), [](int e, double base) { return base * std::pow(0.5, e / 3); }},
      {"multi-step", schedule<MultiStepLR>(std::vector<int>{2, 5, 5}, 0.1),
       [](int e, double base) { return base * std::pow(0.1, (e >= 2) + 2 * (e >= 5)); }},
      {"exponential", schedule<ExponentialLR>(0.9),
       [](int e, double base) { return base * std::pow(0.9, e); }},
      {"cosine", schedule<CosineAnnealingLR>(5, 0.01),
       [](int e, double base) {
         return 0.01 + (base - 0.01) * (1 + std::cos(std::numbers::pi * e / 5)) / 2;
       }},
      {"linear", schedule<LinearLR>(0.25, 1.0, 4),
       [](int e, double base) { return base * (0.25 + 0.75 * std::min(e, 4) / 4); }},
      {"one cycle",
       schedule<OneCycleLR>(2.0, OneCycleLR::Options{.total_steps = 11, .start_share = 5.0 / 11}),
       [](int e, double) {
         const double share = e <= 4 ? e / 4.0 : (std::min(e, 10) - 4) / 6.0;
         return e <= 4 ? cosine(2.0 / 25, 2.0, share) : cosine(2.0, 2.0 / 25 / 1e4, share);
       }},
      {"one cycle of three straight phases",
       schedule<OneCycleLR>(2.0, OneCycleLR::Options{.total_steps = 13,
                                                     .start_share = 5.0 / 13,
                                                     .cosine = false,
                                                     .div_factor = 2,
                                                     .final_div_factor = 10,
                                                     .three_phase = true}),
       [](int e, double) { return e <= 8 ? 2 - std::abs(e - 4) / 4.0 : 1 - 0.9 * std::min(e - 8, 4) / 4; }},
      {"lambda", schedule<LambdaLR>([](int e) { return 1.0 / (1 + e); }),
       [](int e, double base) { return base / (1 + e); }},
  };
  return all;
}

bool same_rate(double left, double right) {
  return std::abs(left - right) <= 1e-12 * std::max(1.0, std::abs(right));
}

}  // namespace

class TestLrScheduler : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void followsItsFormula_data() {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < cases().size(); ++i) QTest::newRow(cases()[i].name) << static_cast<int>(i);
  }

  void followsItsFormula() {
    QFETCH(int, index);
    const Case& one = cases()[static_cast<std::size_t>(index)];
    const auto optimizer = make_optimizer();
    const auto schedule = one.make(*optimizer);
    for (int e = 0; e < 13; ++e, schedule->step())
      for (std::size_t group = 0; group < 2; ++group)
        QVERIFY2(same_rate(schedule->learning_rates()[group], one.expected(e, kBases[group])),
                 qPrintable(QString::number(e)));
  }

  // The learning rates are saved with the optimizer, the steps with the schedule.
  void goesOnFromItsState() {
    for (const Case& one : cases()) {
      const auto before = make_optimizer(), after = make_optimizer();
      const auto interrupted = one.make(*before), resumed = one.make(*after);
      for (int e = 0; e < 4; ++e) interrupted->step();
      for (std::size_t group = 0; group < 2; ++group)
        after->param_groups()[group].options().set_lr(interrupted->learning_rates()[group]);
      resumed->restore(interrupted->state());
      for (int e = 0; e < 4; ++e) {
        interrupted->step();
        resumed->step();
        QVERIFY2(interrupted->learning_rates() == resumed->learning_rates(), one.name);
      }
      QVERIFY_EXCEPTION_THROWN(resumed->restore({1, 2, 3}), Error);
    }
  }

  void chains() {
    const auto optimizer = make_optimizer();
    LinearLR warm_up(*optimizer, 0.5, 1, 2);
    ExponentialLR decay(*optimizer, 0.9);
    for (int e = 0; e < 3; ++e) {
      warm_up.step();
      decay.step();
    }
    QVERIFY(same_rate(decay.learning_rates()[0], 0.5 * std::pow(0.9, 3)));
  }

  void chainsAreOneSchedule() {
    const auto before = make_optimizer(), after = make_optimizer();
    const auto chain = [](torch::optim::Optimizer& optimizer) {
      return std::make_unique<ChainedLR>(optimizer, std::vector<std::shared_ptr<StepwiseLR>>{
                                                        std::make_shared<LinearLR>(optimizer, 0.5, 1, 4),
                                                        std::make_shared<ExponentialLR>(optimizer, 0.9)});
    };
    const auto interrupted = chain(*before), resumed = chain(*after);
    for (int e = 0; e < 7; ++e, interrupted->step())
      for (std::size_t group = 0; group < 2; ++group)
        QVERIFY(same_rate(interrupted->learning_rates()[group],
                          kBases[group] * (0.5 + 0.5 * std::min(e, 4) / 4) * std::pow(0.9, e)));
    for (std::size_t group = 0; group < 2; ++group)
      after->param_groups()[group].options().set_lr(interrupted->learning_rates()[group]);
    resumed->restore(interrupted->state());
    QCOMPARE(resumed->steps(), 7);
    interrupted->step();
    resumed->step();
    QVERIFY(interrupted->learning_rates() == resumed->learning_rates());
    QVERIFY(interrupted->state() == resumed->state());
    QVERIFY_EXCEPTION_THROWN(resumed->restore({7, 1}), Error);
    QVERIFY_EXCEPTION_THROWN(resumed->restore({7, 1, 7}), Error);
    QVERIFY_EXCEPTION_THROWN(resumed->restore({}), Error);
    QVERIFY_EXCEPTION_THROWN(ChainedLR(*after, {}), Error);
  }

  void cyclesMomentum() {
    const auto sgd = make_optimizer();
    torch::optim::Adam adam(std::vector<at::Tensor>{at::zeros({1})}, torch::optim::AdamOptions(0.1));
    const OneCycleLR::Options options{.total_steps = 11, .start_share = 5.0 / 11};
    OneCycleLR one(*sgd, {2.0, 1.0}, options), other(adam, 2.0, options);
    for (int e = 0; e < 11; ++e) {
      const double share = e <= 4 ? e / 4.0 : (e - 4) / 6.0;
      const double expected = e <= 4 ? cosine(0.95, 0.85, share) : cosine(0.85, 0.95, share);
      for (const auto& group : sgd->param_groups())
        QVERIFY(
            same_rate(static_cast<const torch::optim::SGDOptions&>(group.options()).momentum(), expected));
      const auto betas =
          static_cast<const torch::optim::AdamOptions&>(adam.param_groups()[0].options()).betas();
      QVERIFY(same_rate(std::get<0>(betas), expected));
      QCOMPARE(std::get<1>(betas), 0.999);
      one.step();
      other.step();
    }
  }

  void stepsToIterations() {
    const auto optimizer = make_optimizer();
    ExponentialLR schedule(*optimizer, 0.5);
    for (const auto& [iterations, steps] : {std::pair{0.9, 0}, {1.0, 1}, {3.7, 3}, {3.9, 3}, {2.0, 3}}) {
      schedule.step_to(iterations);
      QCOMPARE(schedule.steps(), steps);
      QVERIFY(same_rate(schedule.learning_rates()[0], kBases[0] * std::pow(0.5, steps)));
    }
  }

  void plateau() {
    const auto optimizer = make_optimizer();
    ReduceLROnPlateau::Options options;
    options.patience = 1;
    options.cooldown = 1;
    options.factor = 0.5;
    options.minimum = 0.015;
    ReduceLROnPlateau schedule(*optimizer, options);
    const auto after = [&](double metric) {
      schedule.step(metric);
      return schedule.learning_rates();
    };
    const std::vector<double> whole{0.5, 0.02}, half{0.25, 0.015}, quarter{0.125, 0.015};
    QVERIFY(after(1.0) == whole);
    QVERIFY(after(1.0) == whole);     // no better, within patience
    QVERIFY(after(0.99995) == half);  // better by less than the threshold: not better
    QVERIFY(after(1.0) == half);      // cooling down
    QVERIFY(after(1.0) == half);
    QVERIFY(after(std::nan("")) == quarter);
    QVERIFY(after(0.5) == quarter);

    ReduceLROnPlateau other(*optimizer, options);
    other.restore(schedule.state());
    QVERIFY(other.state() == schedule.state());
  }

  // An absolute threshold, and a metric that was never better than nothing.
  void plateauOfWhatShouldGrow() {
    const auto optimizer = make_optimizer();
    ReduceLROnPlateau schedule(*optimizer, {.larger_is_better = true,
                                            .factor = 0.5,
                                            .patience = 0,
                                            .threshold = 0.1,
                                            .relative = false,
                                            .epsilon = 0.2});
    ReduceLROnPlateau resumed(*optimizer, {});
    resumed.restore(schedule.state());  // its best so far is an infinity
    QVERIFY(resumed.state() == schedule.state());
    const std::vector<double> whole{0.5, 0.02}, half{0.25, 0.02};  // 0.01 less is less than epsilon
    for (const auto& [metric, rates] :
         {std::pair{-1.0, whole}, {-0.8, whole}, {-0.75, half}, {-0.69, half}}) {
      schedule.step(metric);
      QCOMPARE(schedule.learning_rates(), rates);
    }
  }

  void refusesNonsense() {
    const auto optimizer = make_optimizer();
    QVERIFY_EXCEPTION_THROWN(StepLR(*optimizer, 0), Error);
    QVERIFY_EXCEPTION_THROWN(CosineAnnealingLR(*optimizer, 0), Error);
    QVERIFY_EXCEPTION_THROWN(LinearLR(*optimizer, 0), Error);
    QVERIFY_EXCEPTION_THROWN(LambdaLR(*optimizer, {}), Error);
    QVERIFY_EXCEPTION_THROWN(OneCycleLR(*optimizer, 1.0, {}), Error);
    QVERIFY_EXCEPTION_THROWN(OneCycleLR(*optimizer, std::vector<double>{1.0}, {.total_steps = 5}), Error);
    torch::optim::Adagrad adagrad(std::vector<at::Tensor>{at::zeros({1})});
    QVERIFY_EXCEPTION_THROWN(OneCycleLR(adagrad, 1.0, {.total_steps = 5}), Error);
  }
};

BATCHSCOPE_TEST(TestLrScheduler)
#include "test_lr_scheduler.moc"
