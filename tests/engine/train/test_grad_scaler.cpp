// SPDX-License-Identifier: Apache-2.0
//
// GradScaler by itself, on CPU tensors: what PyTorch's documents of torch.amp.GradScaler promise.
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <torch/optim/sgd.h>

#include <limits>
#include <vector>

#include "batchscope/protocol/error.h"
#include "batchscope/train/grad_scaler.h"
#include "test_case.h"

using namespace batchscope;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// One weight under plain gradient descent with learning rate 1.
struct Descent {
  at::Tensor weight = at::tensor({1.0, 1.0}, at::kFloat).requires_grad_();
  torch::optim::SGD optimizer{{weight}, torch::optim::SGDOptions(1.0)};

  // d(loss)/d(weight) is `gradient`.
  void backward(GradScaler& scaler, double gradient) {
    optimizer.zero_grad();
    scaler.scale((weight * at::full({2}, gradient)).sum()).backward();
  }
  double first() const { return weight.detach()[0].item<double>(); }
};

double gradient_of(const Descent& descent) { return descent.weight.grad()[0].item<double>(); }

// One step with a gradient that is finite or not.
void train_descent(GradScaler& scaler, Descent& descent, bool finite) {
  descent.backward(scaler, finite ? 0.0 : kInfinity);
  QCOMPARE(scaler.step(descent.optimizer), finite);
  scaler.update();
}

template <class Call>
ErrorKind kind_of_error(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::failure;
}

}  // namespace

#define VERIFY_USAGE(call) QVERIFY(kind_of_error([&] { call; }) == ErrorKind::usage)

class TestGradScaler : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void scalesTheLoss() {
    const GradScaler scaler({.init_scale = 1024});
    const at::Tensor loss = scaler.scale(at::tensor({0.5, -2.0}, at::kFloat));
    QVERIFY(at::equal(loss, at::tensor({512.0, -2048.0}, at::kFloat)));
    QCOMPARE(scaler.get_scale(), 1024.0);
  }

  // fp16 ends at 65504.
  void promotesALossInHalf() {
    const GradScaler scaler;
    const at::Tensor loss = scaler.scale(at::full({}, 2.0, at::kHalf));
    QCOMPARE(loss.item<double>(), 131072.0);
  }

  void stepsOnTheUnscaledGradient() {
    GradScaler scaler;
    Descent descent;
    descent.backward(scaler, 0.25);
    QCOMPARE(gradient_of(descent), 0.25 * 65536);
    QVERIFY(scaler.step(descent.optimizer));
    QCOMPARE(descent.first(), 0.75);
  }

  void letsGradientsBeClipped() {
    GradScaler scaler;
    Descent descent;
    descent.backward(scaler, 0.25);
    scaler.unscale_(descent.optimizer);
    QCOMPARE(gradient_of(descent), 0.25);
    descent.weight.mutable_grad().clamp_max_(0.125);
    QVERIFY(scaler.step(descent.optimizer));
    QCOMPARE(descent.first(), 0.875);
  }

  void skipsWhatIsNotFinite() {
    GradScaler scaler;
    Descent descent;
    for (const double gradient : {kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
      descent.backward(scaler, gradient);
      QVERIFY(!scaler.step(descent.optimizer));
      scaler.update();
      QCOMPARE(descent.first(), 1.0);
    }
    QCOMPARE(scaler.get_scale(), 65536.0 / 8);
  }

  void growsAndBacksOff() {
    GradScaler scaler({.init_scale = 8, .growth_factor = 4, .backoff_factor = 0.25, .growth_interval = 3});
    Descent descent;
    const std::vector<bool> finite = {true, true, true, true,  true,  false,
                                      true, true, true, false, false, true};
    const std::vector<double> scales = {8, 8, 32, 32, 32, 8, 8, 8, 32, 8, 2, 2};
    for (std::size_t step = 0; step < finite.size(); ++step) {
      train_descent(scaler, descent, finite[step]);
      QCOMPARE(scaler.get_scale(), scales[step]);
    }
  }

  void doesNotGrowToInfinity() {
    GradScaler scaler({.init_scale = 1e38, .growth_factor = 2, .growth_interval = 1});
    Descent descent;
    for (int step = 0; step < 4; ++step) train_descent(scaler, descent, true);
    QCOMPARE(scaler.get_scale(), static_cast<double>(2 * 1e38f));
  }

  void isToldItsScale() {
    GradScaler scaler;
    scaler.update(512);
    QCOMPARE(scaler.get_scale(), 512.0);
    scaler.update_after(true);
    QCOMPARE(scaler.get_scale(), 256.0);
    VERIFY_USAGE(scaler.update(0));
  }

  // Each takes its own step or not; one that is not finite is enough to back off, once.
  void looksAfterSeveralOptimizers() {
    GradScaler scaler;
    Descent fine, broken;
    fine.backward(scaler, 0.5);
    broken.backward(scaler, kInfinity);
    QVERIFY(scaler.step(fine.optimizer));
    QVERIFY(!scaler.step(broken.optimizer));
    scaler.update();
    QCOMPARE(fine.first(), 0.5);
    QCOMPARE(broken.first(), 1.0);
    QCOMPARE(scaler.get_scale(), 32768.0);
  }

  void refusesCallsOutOfTurn() {
    GradScaler scaler;
    Descent descent;
    VERIFY_USAGE(scaler.update());
    VERIFY_USAGE(scaler.step(descent.optimizer));  // no gradients
    scaler.update(65536);
    descent.backward(scaler, 1);
    scaler.unscale_(descent.optimizer);
    VERIFY_USAGE(scaler.unscale_(descent.optimizer));
    QVERIFY(scaler.step(descent.optimizer));
    VERIFY_USAGE(scaler.unscale_(descent.optimizer));
    VERIFY_USAGE(scaler.step(descent.optimizer));
    scaler.update();
    VERIFY_USAGE(scaler.update());
  }

  void refusesGradientsInHalf() {
    GradScaler scaler;
    Descent descent;
    descent.weight = at::full({2}, 1.0, at::kHalf).requires_grad_();
    torch::optim::SGD optimizer({descent.weight}, torch::optim::SGDOptions(1.0));
    descent.weight.mutable_grad() = at::full({2}, 1.0, at::kHalf);
    VERIFY_USAGE(scaler.step(optimizer));
  }

  void refusesOptions() {
    using Options = GradScaler::Options;
    for (const Options& options :
         {Options{.init_scale = 0}, Options{.init_scale = kInfinity}, Options{.growth_factor = 1},
          Options{.backoff_factor = 1}, Options{.backoff_factor = 0}, Options{.growth_interval = 0}})
      VERIFY_USAGE(GradScaler{options});
  }

  void doesNothingWhereNotEnabled() {
    GradScaler scaler({.enabled = false});
    Descent descent;
    descent.backward(scaler, 0.25);
    QCOMPARE(gradient_of(descent), 0.25);
    scaler.unscale_(descent.optimizer);
    QVERIFY(scaler.step(descent.optimizer));
    scaler.update();
    QCOMPARE(descent.first(), 0.75);
    QCOMPARE(scaler.get_scale(), 1.0);
    QVERIFY(scaler.state().empty());
    scaler.restore({});
  }

  void goesOnWhereItStopped() {
    GradScaler whole({.init_scale = 8, .growth_interval = 3});
    Descent descent;
    for (const bool finite : {true, false, true, true}) train_descent(whole, descent, finite);
    GradScaler rest;
    rest.restore(whole.state());
    QVERIFY(rest.state() == whole.state());
    train_descent(rest, descent, true);  // the third in a row
    QCOMPARE(rest.get_scale(), 8.0);
    QCOMPARE(rest.growth_interval(), 3);
  }

  void refusesAnotherState() {
    GradScaler scaler;
    const std::vector<std::vector<double>> states = {
        {}, {1}, {-1, 2, 0.5, 2000, 0}, {1, 2, 0.5, 2000, 2000}, {1, 0.5, 0.5, 2000, 0}};
    for (const std::vector<double>& state : states)
      QVERIFY(kind_of_error([&] { scaler.restore(state); }) == ErrorKind::corrupt);
    QCOMPARE(scaler.get_scale(), 65536.0);
  }
};

BATCHSCOPE_TEST(TestGradScaler)
#include "test_grad_scaler.moc"
