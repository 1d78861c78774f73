// SPDX-License-Identifier: Apache-2.0
//
// AdaScale around an optimizer: FairScale's recorded trajectories in one and two real processes, and, in this
// one, a model of one parameter whose gradients are chosen, so that gain and rates are known.
#include <ATen/ops/zeros.h>
#include <torch/optim/sgd.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>

#include "../goodput/golden.h"
#include "batchscope/goodput/noise_scale.h"
#include "batchscope/protocol/error.h"
#include "batchscope/train/adascale.h"
#include "batchscope/train/chained_lr.h"
#include "batchscope/train/grad_scaler.h"
#include "batchscope/train/lr_scheduler.h"
#include "batchscope/train/one_cycle_lr.h"
#include "close.h"
#include "replicas.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::testing;
using protocol::Json;

namespace {

constexpr double kRate = 0.5;

// One parameter, two gradients a step.
struct Chosen {
  explicit Chosen(AdaScaleOptimizer::Options options = {.num_gradients_to_accumulate = 2})
      : adascale(optimizer, options) {}

  void backward(double gradient) { (parameter * gradient).sum().backward(); }
  // The two gradients; their loss is scaled.
  void step(double left, double right) {
    adascale.zero_grad();
    backward(left / 2);
    backward(right / 2);
    adascale.step();
  }
  double value() const { return parameter.item<double>(); }

  at::Tensor parameter = at::zeros({1}, at::kDouble).set_requires_grad(true);
  torch::optim::SGD optimizer{std::vector<at::Tensor>{parameter}, torch::optim::SGDOptions(kRate)};
  AdaScaleOptimizer adascale;
};

// The gain of gradients 3 and 1: mean 2, estimates sqr = 3 * 1 and var = 2 for scale 2.
constexpr double kGain = (2.0 + 3.0) / (2.0 / 2 + 3.0);

using MakeSchedule = std::function<std::unique_ptr<StepwiseLR>(torch::optim::Optimizer&)>;

template <class Schedule, class... Arguments>
MakeSchedule with(Arguments... arguments) {
  return [=](auto& optimizer) { return std::make_unique<Schedule>(optimizer, arguments...); };
}

}  // namespace
Q_DECLARE_METATYPE(MakeSchedule)

class TestAdaScale : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void followsTheTrajectory_data() { batchscope::golden::trajectory_rows("fairscale_adascale"); }

  void followsTheTrajectory() {
    QFETCH(std::string, file);
    QFETCH(int, index);
    const Json trajectory = batchscope::golden::trajectory(file, index);
    const auto replicas = run({"adascale",
                               {QString::fromStdString(batchscope::golden::path(file)),
                                QString::fromStdString(trajectory["config"]["name"])},
                               trajectory["config"]["replicas"].get<int>()});
    QVERIFY(all_ended(replicas));
    for (const Replica& replica : replicas) {
      if (trajectory.contains("error")) {
        QCOMPARE(replica.said.value("error", ""), std::string("usage"));
        VERIFY_MESSAGE(replica.said, "accumulat");
        continue;
      }
      QVERIFY2(replica.said.contains("steps"), replica.said.dump().c_str());
      QVERIFY(close(replica.said["smoothing"], trajectory["smoothing"]));
      QCOMPARE(replica.said["scale"].get<double>(), trajectory["scale"].get<double>());
      QVERIFY(trajectory["steps"].size() >= 20);
      QCOMPARE(replica.said["steps"].size(), trajectory["steps"].size());
      for (std::size_t s = 0; s < trajectory["steps"].size(); ++s)
        for (const char* name : {"gain", "lr_effective", "effective_steps"}) {
          const double is = replica.said["steps"][s][name], should = trajectory["steps"][s][name];
          QVERIFY2(close(is, should, 1e-5),
                   qPrintable(QString("step %1, %2: %3, not %4").arg(s).arg(name).arg(is).arg(should)));
        }
    }
  }

  void scalesTheRateByTheGain() {
    Chosen chosen;
    QCOMPARE(chosen.adascale.gain(), 1.0);
    QVERIFY(close(chosen.adascale.gain(0), 1, 1e-6));
    chosen.step(3, 1);
    QVERIFY(close(chosen.adascale.gain(), kGain));
    QVERIFY(close(chosen.adascale.gain(0), kGain));
    QVERIFY(close(chosen.value(), -kRate * kGain * 2));
    QVERIFY(close(chosen.adascale.scale_invariant_steps(), kGain));
    QCOMPARE(chosen.optimizer.param_groups()[0].options().get_lr(), kRate);
  }

  // 2^24 + 1 is not a number of single precision, in which the gradients are.
  void squaresAreSummedInDoublePrecision() {
    std::vector<at::Tensor> parameters;
    for (int i = 0; i < 2; ++i) parameters.push_back(at::zeros({1}, at::kFloat).set_requires_grad(true));
    torch::optim::SGD optimizer(parameters, torch::optim::SGDOptions(kRate));
    AdaScaleOptimizer adascale(optimizer, {.num_gradients_to_accumulate = 2});
    for (int i = 0; i < 2; ++i) (parameters[0] * (4096 / 2.0) + parameters[1] / 2).sum().backward();
    goodput::NoiseScale noise(1, {.mode = goodput::NoiseMode::fairscale});
    const double sqr = 4096.0 * 4096.0 + 1;
    noise.update({{2 * sqr}, {sqr}, 2, 2, {}, {}});
    std::vector<double> expected = noise.state();
    expected.push_back(0);  // iterations
    QCOMPARE(adascale.state(), expected);
  }

  // The optimizer sees the sum then, as autograd left it.
  void lossesThatAreNotScaled() {
    Chosen chosen({.num_gradients_to_accumulate = 2, .is_scaled_loss = false});
    chosen.backward(3);
    chosen.backward(1);
    chosen.adascale.step();
    QVERIFY(close(chosen.adascale.gain(), kGain));
    QVERIFY(close(chosen.value(), -kRate * kGain * 4));
  }

  void worksWithEverySchedule_data() {
    QTest::addColumn<MakeSchedule>("make");
    QTest::newRow("constant") << with<ConstantLR>();
    QTest::newRow("step") << with<StepLR>(2);
    QTest::newRow("multi-step") << with<MultiStepLR>(std::vector<int>{1, 3});
    QTest::newRow("exponential") << with<ExponentialLR>(0.9);
    QTest::newRow("cosine") << with<CosineAnnealingLR>(4);
    QTest::newRow("linear") << with<LinearLR>();
    QTest::newRow("lambda") << with<LambdaLR>([](int e) { return 1.0 / (1 + e); });
    QTest::newRow("one cycle") << with<OneCycleLR>(
        2.0, OneCycleLR::Options{.total_steps = 9, .cycle_momentum = false});
    QTest::newRow("chained") << MakeSchedule([](auto& optimizer) {
      return std::make_unique<ChainedLR>(optimizer, std::vector<std::shared_ptr<StepwiseLR>>{
                                                        std::make_shared<LinearLR>(optimizer, 0.5, 1, 4),
                                                        std::make_shared<StepLR>(optimizer, 2)});
    });
  }

  // A step is the schedule's rate times the gain.
  void worksWithEverySchedule() {
    QFETCH(MakeSchedule, make);
    Chosen chosen, alone;
    const auto schedule = make(chosen.optimizer), expected = make(alone.optimizer);
    for (int step = 0; step < 8; ++step) {
      const double before = chosen.value();
      chosen.step(3, 1);
      QVERIFY(close(before - chosen.value(), expected->learning_rates()[0] * kGain * 2, 1e-9));
      schedule->step();
      expected->step();
    }
  }

  void everyScheduleFollowsScaleInvariantIterations_data() { worksWithEverySchedule_data(); }
  // lr(floor(tau))
  void everyScheduleFollowsScaleInvariantIterations() {
    QFETCH(MakeSchedule, make);
    Chosen chosen, alone;
    const auto schedule = make(chosen.optimizer), expected = make(alone.optimizer);
    for (int step = 1; step <= 8; ++step) {
      const double before = chosen.value();
      chosen.step(3, 1);
      QVERIFY(close(before - chosen.value(), expected->learning_rates()[0] * kGain * 2, 1e-9));
      schedule->step_to(chosen.adascale.scale_invariant_steps());
      while (expected->steps() < std::floor(step * kGain)) expected->step();
      QCOMPARE(schedule->steps(), expected->steps());
      QCOMPARE(schedule->learning_rates(), expected->learning_rates());
    }
  }

  void everyScheduleGoesOnFromItsState_data() { worksWithEverySchedule_data(); }
  void everyScheduleGoesOnFromItsState() {
    QFETCH(MakeSchedule, make);
    Chosen before, after;
    const auto interrupted = make(before.optimizer), resumed = make(after.optimizer);
    const auto step = [](Chosen& chosen, StepwiseLR& schedule, double gradient) {
      chosen.step(gradient, 1);
      schedule.step_to(chosen.adascale.scale_invariant_steps());
    };
    for (int i = 0; i < 4; ++i) step(before, *interrupted, 3 + i);
    after.adascale.restore(before.adascale.state());
    after.optimizer.param_groups()[0].options().set_lr(interrupted->learning_rates()[0]);
    resumed->restore(interrupted->state());
    for (int i = 0; i < 4; ++i) {
      step(before, *interrupted, 5 - i);
      step(after, *resumed, 5 - i);
      QCOMPARE(resumed->learning_rates(), interrupted->learning_rates());
      QCOMPARE(after.adascale.state(), before.adascale.state());
    }
  }

  void worksWithPlateaus() {
    Chosen chosen;
    ReduceLROnPlateau plateau(chosen.optimizer, {.patience = 0});
    for (int i = 0; i < 2; ++i) plateau.step(1);
    chosen.step(3, 1);
    QVERIFY(close(chosen.value(), -kRate * 0.1 * kGain * 2));
  }

  void stopsByAccumulatedGain() {
    Chosen chosen;
    int steps = 0;
    for (; !chosen.adascale.done(10); ++steps) chosen.step(3, 1);
    QCOMPARE(steps, static_cast<int>(std::ceil(10 / kGain)));
  }

  void scaleAndAccumulationChange() {
    Chosen chosen;
    chosen.step(3, 1);
    QCOMPARE(chosen.adascale.scale(), 2.0);
    QVERIFY(close(chosen.adascale.smoothing(), 0.998));
    using Change = AdaScaleOptimizer::ScaleChange;
    chosen.adascale.set_scale(4);  // twice the batch
    QVERIFY(close(chosen.adascale.gain(), (2.0 + 3.0) / (2.0 / 4 + 3.0)));
    chosen.adascale.set_scale(8, Change::base_batch_size);  // half the base has twice the noise
    QVERIFY(close(chosen.adascale.gain(), (4.0 + 3.0) / (4.0 / 8 + 3.0)));
    chosen.adascale.set_scale(16, Change::fairscale);
    QVERIFY(close(chosen.adascale.gain(), (2.0 + 3.0) / (2.0 / 16 + 3.0)));
    chosen.adascale.set_num_gradients_to_accumulate(4);
    QVERIFY(close(chosen.adascale.smoothing(), 0.996));
    chosen.adascale.set_num_gradients_to_accumulate(8, false);
    QVERIFY(close(chosen.adascale.smoothing(), 0.996));
    chosen.adascale.zero_grad();
    for (int i = 0; i < 8; ++i) chosen.backward(1);
    chosen.adascale.step();
  }

  void whatIsNotFiniteMovesNothing() {
    Chosen chosen;
    chosen.step(3, 1);
    chosen.step(std::nan(""), 1);
    QVERIFY(close(chosen.adascale.gain(), kGain));
  }

  // Norms are those of unscaled gradients, and a step that is left out leaves nothing but another scale.
  void aScalersStepsLeaveNoTrace() {
    GradScaler scaler({.init_scale = 1024});
    Chosen plain, scaled({.num_gradients_to_accumulate = 2, .scaler = &scaler});
    const auto step = [&](double left, double right) {
      scaled.adascale.zero_grad();
      for (const double gradient : {left, right})
        scaler.scale((scaled.parameter * gradient / 2).sum()).backward();
      scaled.adascale.step();
    };
    step(3, 1);
    plain.step(3, 1);
    QVERIFY(close(scaled.adascale.gain(), kGain));
    const auto state = scaled.adascale.state();
    const double value = scaled.value();
    step(std::numeric_limits<double>::infinity(), 1);
    QCOMPARE(scaled.adascale.state(), state);
    QCOMPARE(scaled.value(), value);
    QCOMPARE(scaler.get_scale(), 512.0);
    step(2, 5);
    plain.step(2, 5);
    QVERIFY(close(scaled.value(), plain.value()));
    QVERIFY(close(scaled.adascale.gain(), plain.adascale.gain()));
    QVERIFY(close(scaled.adascale.scale_invariant_steps(), plain.adascale.scale_invariant_steps()));
  }

  void goesOnFromItsState() {
    Chosen one, other;
    one.step(3, 1);
    other.adascale.restore(one.adascale.state());
    QCOMPARE(other.adascale.scale_invariant_steps(), one.adascale.scale_invariant_steps());
    for (Chosen* chosen : {&one, &other}) chosen->step(5, -1);
    QCOMPARE(other.adascale.state(), one.adascale.state());
    QVERIFY_EXCEPTION_THROWN(other.adascale.restore({1, 2, 3}), Error);
    QVERIFY_EXCEPTION_THROWN(other.adascale.restore({}), Error);
  }

  void refusesNonsense() {
    QVERIFY_EXCEPTION_THROWN(Chosen({.num_gradients_to_accumulate = 1}), Error);
    QVERIFY_EXCEPTION_THROWN(Chosen({.num_gradients_to_accumulate = 0}), Error);
    QVERIFY_EXCEPTION_THROWN(Chosen({.scale = 0.5, .num_gradients_to_accumulate = 2}), Error);
    QVERIFY_EXCEPTION_THROWN(Chosen({.smoothing = 1.0, .num_gradients_to_accumulate = 2}), Error);
    Chosen chosen;
    QVERIFY_EXCEPTION_THROWN(chosen.adascale.step(), Error);
    chosen.backward(1);
    QVERIFY_EXCEPTION_THROWN(chosen.adascale.step(), Error);
    QVERIFY_EXCEPTION_THROWN(chosen.adascale.set_scale(3), Error);
    QVERIFY_EXCEPTION_THROWN(chosen.adascale.set_num_gradients_to_accumulate(3), Error);
    chosen.backward(1);
    QVERIFY_EXCEPTION_THROWN(chosen.backward(1), Error);
    chosen.step(3, 1);  // zero_grad begins again
    QVERIFY_EXCEPTION_THROWN(chosen.adascale.set_num_gradients_to_accumulate(1), Error);
    QVERIFY_EXCEPTION_THROWN(chosen.adascale.set_scale(0.5), Error);
    chosen.step(3, 1);
  }
};

BATCHSCOPE_TEST(TestAdaScale)
#include "test_adascale.moc"
