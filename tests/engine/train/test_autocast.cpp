// SPDX-License-Identifier: Apache-2.0
//
// Autocast on the CPU: what computes in bf16, and that everything is as before when it is over.
#include <ATen/autocast_mode.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>

#include <stdexcept>

#include "batchscope/protocol/error.h"
#include "batchscope/train/autocast.h"
#include "test_case.h"

using namespace batchscope;

namespace {

c10::ScalarType type_of_product() {
  const at::Tensor matrix = at::ones({4, 4});
  return at::mm(matrix, matrix).scalar_type();
}

}  // namespace

class TestAutocast : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void lastsAsLongAsItLives() {
    QVERIFY(type_of_product() == at::kFloat);
    {
      const Autocast autocast(at::kCPU);
      QVERIFY(type_of_product() == at::kBFloat16);
    }
    QVERIFY(type_of_product() == at::kFloat);
  }

  void nests() {
    const Autocast outer(at::kCPU);
    {
      const Autocast off(at::kCPU, std::nullopt, false);
      QVERIFY(type_of_product() == at::kFloat);
      const Autocast on(at::kCPU, at::kBFloat16);
      QVERIFY(type_of_product() == at::kBFloat16);
    }
    QVERIFY(type_of_product() == at::kBFloat16);
  }

  void endsWithAnException() {
    try {
      const Autocast autocast(at::kCPU);
      throw std::runtime_error("in forward");
    } catch (const std::runtime_error&) {
    }
    QVERIFY(type_of_product() == at::kFloat);
  }

  // A parameter's 16-bit copy is kept for the whole forward; the next forward must see what the step made of
  // it.
  void forgetsCopiesOfParameters() {
    const at::Tensor input = at::ones({2, 2});
    at::Tensor parameter = at::ones({2, 2}).requires_grad_();
    for (const double factor : {1.0, 3.0}) {
      parameter.detach().fill_(factor);
      const Autocast autocast(at::kCPU);
      QCOMPARE(at::mm(input, parameter)[0][0].item<double>(), 2 * factor);
    }
  }

  void gradientsAreInFullPrecision() {
    at::Tensor parameter = at::ones({2, 2}).requires_grad_();
    at::Tensor loss;
    {
      const Autocast autocast(at::kCPU);
      loss = at::mm(at::ones({2, 2}), parameter).sum();
    }
    loss.backward();
    QVERIFY(parameter.grad().scalar_type() == at::kFloat);
    QCOMPARE(parameter.grad()[0][0].item<double>(), 2.0);
  }

  void refusesOtherTypesAndDevices() {
    QVERIFY_EXCEPTION_THROWN(Autocast(at::kCPU, at::kDouble), Error);
    QVERIFY_EXCEPTION_THROWN(Autocast(c10::Device("meta")), Error);
    QVERIFY(type_of_product() == at::kFloat);
  }
};

BATCHSCOPE_TEST(TestAutocast)
#include "test_autocast.moc"
