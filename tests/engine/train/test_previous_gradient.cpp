// SPDX-License-Identifier: Apache-2.0
//
// The previous gradient, of parameters whose gradients are measured at once (fp32 on the CPU) and of such as
// wait for the end of backward (bf16 here, everything on a GPU). Both find what PyTorch's own norms find.
#include <ATen/ATen.h>

#include "close.h"
#include "gradient/previous_gradient.h"
#include "test_case.h"

using namespace batchscope::train;

namespace {

struct Steps {
  Steps(at::ScalarType type, bool divided)
      : type(type), divided(divided), gradient({0, 1, 1}, divided), parameters(3) {
    for (at::Tensor& parameter : parameters) parameter = at::zeros({40, 3}, type).requires_grad_();
  }

  // A step that brings a gradient to those parameters of three.
  PreviousGradient::Norms step(const std::vector<std::size_t>& which) {
    bool waits = false;
    for (at::Tensor& parameter : parameters) parameter.mutable_grad().reset();
    for (const std::size_t i : which) {
      parameters[i].mutable_grad() = at::randn({40, 3}).to(type);
      waits = !gradient.measure(i, parameters[i].grad(), divisor()) || waits;
    }
    if (waits) gradient.measure_waiting();
    return gradient.advance(parameters);
  }

  at::Tensor divisor() const { return divided ? at::full({40, 3}, 0.5, type) : at::Tensor(); }

  // Of the group's gradients as they are now.
  double square(std::size_t group) const {
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i)
      if ((i > 0) == (group == 1) && parameters[i].grad().defined())
        sum += parameters[i].grad().to(at::kDouble).square().sum().item<double>();
    return divided ? 4 * sum : sum;
  }

  at::ScalarType type;
  bool divided;
  PreviousGradient gradient;
  std::vector<at::Tensor> parameters;
};

}  // namespace

class TestPreviousGradient : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { at::manual_seed(0); }

  void isMeasured_data() {
    QTest::addColumn<bool>("waits");
    QTest::addColumn<bool>("divided");
    for (const bool waits : {false, true})
      for (const bool divided : {false, true})
        QTest::addRow("%s, %s", waits ? "together" : "at once", divided ? "divided" : "plain")
            << waits << divided;
  }

  void isMeasured() {
    QFETCH(bool, waits);
    QFETCH(bool, divided);
    Steps steps(waits ? at::kBFloat16 : at::kFloat, divided);
    QVERIFY(!steps.step({0, 1, 2}).pair);
    for (int i = 0; i < 4; ++i) {
      const std::vector<double> before{steps.square(0), steps.square(1)};
      std::vector<at::Tensor> was;
      for (const at::Tensor& parameter : steps.parameters) was.push_back(parameter.grad());
      const auto norms = steps.step({0, 1, 2});
      QVERIFY(norms.pair);
      double mean = 0;
      for (const std::size_t k : {1, 2}) {
        const at::Tensor middle = (was[k].to(at::kFloat) + steps.parameters[k].grad().to(at::kFloat)) / 2;
        mean += (divided ? 4 : 1) * middle.to(at::kDouble).square().sum().item<double>();
      }
      for (const std::size_t group : {0, 1}) {
        QVERIFY(close_in_single(norms.current[group], steps.square(group)));
        QVERIFY(close_in_single(norms.previous[group], before[group]));
      }
      // In bf16 the mean itself is rounded.
      QVERIFY(std::abs(norms.mean[1] / mean - 1) < (waits ? 3e-3 : 1e-5));
    }
  }

  void countsAMissingGradientAsZero_data() {
    QTest::addColumn<bool>("waits");
    QTest::newRow("at once") << false;
    QTest::newRow("together") << true;
  }

  void countsAMissingGradientAsZero() {
    QFETCH(bool, waits);
    Steps steps(waits ? at::kBFloat16 : at::kFloat, false);
    steps.step({1, 2});
    const double first = steps.square(1);
    const auto none = steps.step({});
    QVERIFY(none.pair);
    QVERIFY(close_in_single(none.current[1] + 1, 1));
    QVERIFY(close_in_single(none.previous[1], first));
    QVERIFY(close_in_single(none.mean[1], first / 4));
    const auto again = steps.step({2});
    QVERIFY(close_in_single(again.mean[1], again.current[1] / 4));
  }

  void noticesAChange_data() { isMeasured_data(); }

  // The pair in which the change is found is lost, and the next, whose first gradient was not copied yet.
  void noticesAChange() {
    QFETCH(bool, waits);
    QFETCH(bool, divided);
    Steps steps(waits ? at::kBFloat16 : at::kFloat, divided);
    steps.step({0, 1, 2});
    steps.parameters[1].mutable_grad().mul_(0.25);
    QCOMPARE(steps.step({0, 1, 2}).pair, divided);  // which copies from the start
    for (int i = 0; i < 3; ++i) {
      const double before = steps.square(1);
      steps.parameters[1].mutable_grad().mul_(0.25);
      const auto norms = steps.step({0, 1, 2});
      QCOMPARE(norms.pair, divided || i > 0);
      if (norms.pair) QVERIFY(close_in_single(norms.previous[1], before));
    }
  }

  // zero_grad() drops the gradients of a backward, another comes.
  void measuresTheLastBackward() {
    Steps steps(at::kBFloat16, false);
    steps.step({0, 1, 2});
    for (at::Tensor& parameter : steps.parameters) {
      const auto i = static_cast<std::size_t>(&parameter - steps.parameters.data());
      steps.gradient.measure(i, at::randn({40, 3}).to(at::kBFloat16), {});
    }
    steps.gradient.measure_waiting();
    const auto norms = steps.step({0, 1, 2});
    QVERIFY(close_in_single(norms.current[0], steps.square(0)));
    QVERIFY(close_in_single(norms.current[1], steps.square(1)));
  }
};

BATCHSCOPE_TEST(TestPreviousGradient)
#include "test_previous_gradient.moc"
