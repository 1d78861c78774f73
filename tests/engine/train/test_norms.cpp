// SPDX-License-Identifier: Apache-2.0
//
// Squared norms of gradients: each pass computes what it says, and a tensor's square is the same to the last
// bit in whichever pass it is taken, on which the previous gradient's bookkeeping rests.
#include <ATen/ATen.h>

#include <cmath>

#include "close.h"
#include "gradient/norms.h"
#include "test_case.h"

using namespace batchscope::train;

namespace {

double squared(const at::Tensor& tensor) {
  SquareSum sum;
  add_square(tensor, sum);
  return values({sum})[0];
}

double reference(const at::Tensor& tensor) { return tensor.to(at::kDouble).square().sum().item<double>(); }

}  // namespace

class TestNorms : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { at::manual_seed(0); }

  void isTheSameInEveryPass_data() {
    QTest::addColumn<int>("count");
    QTest::addColumn<bool>("fp64");
    // A tail alone; vectors and a tail; parts for several threads.
    for (const int count : {1, 7, 32, 112, 256, 1001, 200000})
      for (const bool fp64 : {false, true})
        QTest::addRow("%d of %s", count, fp64 ? "fp64" : "fp32") << count << fp64;
  }

  void isTheSameInEveryPass() {
    QFETCH(int, count);
    QFETCH(bool, fp64);
    const auto type = fp64 ? at::kDouble : at::kFloat;
    const at::Tensor one = at::randn({count}, type), other = at::randn({count}, type);
    const double expected = squared(one);
    QVERIFY(close_in_single(expected, reference(one)));

    PairSquares now, before;
    add_pair(one, other, now);
    add_pair(other, one, before);
    QVERIFY(values({now.current})[0] == expected);
    QVERIFY(values({before.previous})[0] == expected);
    QVERIFY(values({now.mean})[0] == values({before.mean})[0]);
    QVERIFY(close_in_single(values({now.mean})[0], reference((one + other) / 2)));

    const at::Tensor copied = at::empty_like(one), added = at::zeros_like(one);
    SquareSum first, next, scaled;
    accumulate(copied, one, 1, /*add=*/false, first);
    accumulate(added, one, 1, /*add=*/true, next);
    QVERIFY(values({first})[0] == expected);
    QVERIFY(at::equal(copied, one));
    QVERIFY(at::equal(added, one));
    QVERIFY(values({next})[0] == expected);
    scale(added, 2, scaled);
    QVERIFY(values({scaled})[0] == 4 * expected);
  }
};

BATCHSCOPE_TEST(TestNorms)
#include "test_norms.moc"
