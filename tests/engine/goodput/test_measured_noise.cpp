// SPDX-License-Identifier: Apache-2.0
//
// The noise scale from estimates: the quotient, an error that is as large as values scatter, and where
// nothing can be told.
#include <cmath>
#include <random>

#include "batchscope/goodput.h"
#include "test_case.h"

using namespace batchscope::goodput;

class TestMeasuredNoise : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void equalEstimatesHaveNoError() {
    const std::vector<GradParams> estimates(5, {.sqr = 0.5, .var = 4});
    const auto measured = measured_noise(estimates, 32);
    QVERIFY(measured);
    QCOMPARE(measured->noise_scale, 256.0);
    QVERIFY(measured->standard_error < 1e-9);
    const std::vector<GradParams> small(3, {.sqr = 0.5e-3, .var = 4e-3});
    QCOMPARE(measured_noise(small, 32)->noise_scale, 256.0);
  }

  // Quotients without each estimate of 5/2, 2 and 3/2, about their mean.
  void threeEstimatesAreEnough() {
    const auto measured = measured_noise(std::vector<GradParams>{{1, 1}, {1, 2}, {1, 3}}, 10);
    QVERIFY(measured);
    QCOMPARE(measured->noise_scale, 20.0);
    QCOMPARE(measured->standard_error, 10 * std::sqrt((0.25 + 0.25) * 2 / 3));
  }

  // Nothing is told where the error is half of the noise scale or more: 0.49 of it, and 0.58.
  void anErrorOfHalfTellsNothing() {
    QVERIFY(measured_noise(std::vector<GradParams>{{1, 0.3}, {1, 2}, {1, 3.7}}, 10));
    QVERIFY(!measured_noise(std::vector<GradParams>{{1, 0}, {1, 2}, {1, 4}}, 10));
  }

  // Over many measurements of a known noise: right on average, and as far off as the error says.
  void theErrorIsTheSpread() {
    std::mt19937_64 random(3);
    std::normal_distribution<> unit;
    constexpr int kMeasurements = 2000;
    double sum = 0, squares = 0, errors = 0;
    int within = 0;
    for (int i = 0; i < kMeasurements; ++i) {
      std::vector<GradParams> estimates;
      for (int k = 0; k < 20; ++k) estimates.push_back({1 + 0.5 * unit(random), 10 + unit(random)});
      const auto measured = measured_noise(estimates, 64);
      QVERIFY(measured);
      sum += measured->noise_scale;
      squares += std::pow(measured->noise_scale - 640, 2);
      errors += measured->standard_error;
      within += std::abs(measured->noise_scale - 640) < 2 * measured->standard_error;
    }
    const double spread = std::sqrt(squares / kMeasurements);
    QVERIFY(std::abs(sum / kMeasurements - 640) < 3 * spread / std::sqrt(kMeasurements));
    QVERIFY(std::abs(errors / kMeasurements / spread - 1) < 0.1);
    QVERIFY(within > 0.9 * kMeasurements && within < 0.98 * kMeasurements);
  }

  void nothingIsToldOfTooLittle() {
    QVERIFY(!measured_noise({}, 32));
    const std::vector<GradParams> two(2, {1, 1});
    QVERIFY(!measured_noise(two, 32));
    const std::vector<GradParams> one_of_three{{3, 1}, {-0.5, 1}, {-0.5, 1}};
    QVERIFY(!measured_noise(one_of_three, 32));
    const std::vector<GradParams> scattered{{4, 1}, {0.1, 1}, {0.1, 1}};
    QVERIFY(!measured_noise(scattered, 32));
  }
};

BATCHSCOPE_TEST(TestMeasuredNoise)
#include "test_measured_noise.moc"
