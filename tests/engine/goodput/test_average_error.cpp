// SPDX-License-Identifier: Apache-2.0
//
// The error of a moving mean is as large as such means scatter: of a plain mean, of an exponential one, of
// values that share a part with their neighbours, and of the noise scale in each of its modes.
#include <cmath>
#include <random>

#include "batchscope/goodput.h"
#include "test_case.h"

using namespace batchscope::goodput;

namespace {

constexpr int kMeans = 2000;

double exponential_share(int n) {  // theta = 0.98, without the bias of its youth
  return 0.02 / (1 - std::pow(0.98, n));
}

}  // namespace

class TestAverageError : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aPlainMeanHasItsTextbookError() {
    const std::vector<double> values{3, 5, 4, 8, 1, 6};
    AverageError error;
    double mean = 0, squares = 0;
    for (std::size_t n = 1; n <= values.size(); ++n) {
      const double distance = values[n - 1] - mean, share = 1 / static_cast<double>(n);
      error.add(share, distance);
      mean += share * distance;
      QCOMPARE(error.standard_error().has_value(), n >= 3);
    }
    for (const double value : values) squares += std::pow(value - mean, 2);
    const auto n = static_cast<double>(values.size());
    // Its neighbours lie on opposite sides of the mean, so that they count for nothing.
    QCOMPARE(*error.standard_error(), std::sqrt(squares / (n - 1) / n));
    error.rescale(3);
    QCOMPARE(*error.standard_error(), 3 * std::sqrt(squares / (n - 1) / n));
    error.add(1, 7);
    QVERIFY(!error.standard_error());
  }

  void theErrorIsTheSpread_data() {
    QTest::addColumn<bool>("exponential");
    QTest::addColumn<double>("shared");
    QTest::newRow("mean") << false << 0.0;
    QTest::newRow("exponential mean") << true << 0.0;
    QTest::newRow("exponential mean, neighbours share a part") << true << 1.0;
  }
  void theErrorIsTheSpread() {
    QFETCH(const bool, exponential);
    QFETCH(const double, shared);
    std::mt19937_64 random(5);
    std::normal_distribution<> unit;
    double squares = 0, told = 0;
    for (int i = 0; i < kMeans; ++i) {
      AverageError error;
      double mean = 0, before = 0;
      for (int n = 1; n <= 200; ++n) {
        const double now = unit(random), value = now + shared * std::exchange(before, now);
        const double share = exponential ? exponential_share(n) : 1.0 / n;
        error.add(share, value - mean);
        mean += share * (value - mean);
      }
      squares += mean * mean;
      told += std::pow(*error.standard_error(), 2);
    }
    const double ratio = std::sqrt(told / squares);
    QVERIFY2(ratio > 0.93 && ratio < 1.07, std::to_string(ratio).c_str());
  }

  // A tenth of the intervals miss the truth, whatever averages the estimates.
  void ninetyPercentOfTheIntervalsHaveTheTruth_data() {
    QTest::addColumn<int>("mode");
    QTest::addColumn<int>("count");
    for (const auto& [name, mode] : {std::pair("adaptdl", NoiseMode::adaptdl),
                                     {"paper", NoiseMode::paper},
                                     {"fairscale", NoiseMode::fairscale},
                                     {"tracking", NoiseMode::tracking}})
      QTest::newRow(name) << static_cast<int>(mode) << 4;
    QTest::newRow("pairs") << static_cast<int>(NoiseMode::adaptdl) << 1;
  }
  void ninetyPercentOfTheIntervalsHaveTheTruth() {
    QFETCH(const int, mode);
    QFETCH(const int, count);
    constexpr int kRuns = 400, kSteps = 300, kParameters = 20;
    constexpr double kSqr = 1, kVar = 4;  // of one gradient, whose batch is the initial one
    std::mt19937_64 random(7);
    std::normal_distribution<> unit(0, std::sqrt(kVar / kParameters));
    int within = 0;
    for (int run = 0; run < kRuns; ++run) {
      NoiseScale noise(1, {.mode = static_cast<NoiseMode>(mode)});
      std::vector<double> previous;
      for (int step = 0; step < kSteps; ++step) {
        std::vector<double> mean(kParameters), both(kParameters);
        NormSample sample{{0}, {0}, count, static_cast<double>(count), {}, {}};
        for (int gradient = 0; gradient < count; ++gradient) {
          for (double& total : mean) {
            const double value = std::sqrt(kSqr / kParameters) + unit(random);
            sample.local_sqr[0] += value * value;
            total += value / count;
          }
        }
        const auto square = [](const std::vector<double>& values) {
          double sum = 0;
          for (const double value : values) sum += value * value;
          return sum;
        };
        sample.total_sqr[0] = square(mean);
        if (count == 1 && !previous.empty()) {
          for (int i = 0; i < kParameters; ++i) both[i] = (mean[i] + previous[i]) / 2;
          sample.previous_sqr = {square(previous)};
          sample.mean_of_two_sqr = {square(both)};
        }
        previous = mean;
        noise.update(sample);
      }
      const auto [least, most] = noise.params().interval();
      within += kVar / kSqr >= least.var / least.sqr && kVar / kSqr <= most.var / most.sqr;
    }
    const double share = within / static_cast<double>(kRuns);
    QVERIFY2(share > 0.82 && share < 0.97, std::to_string(share).c_str());
  }

  void anUnknownErrorIsNoInterval() {
    NoiseScale noise(1);
    noise.update({{3}, {1}, 2, 2, {}, {}});
    QCOMPARE(noise.params().sqr_error, 0.0);
    const auto [least, most] = noise.params().interval();
    QCOMPARE(least.sqr, most.sqr);
    QCOMPARE(least.var, noise.var());
  }
};

BATCHSCOPE_TEST(TestAverageError)
#include "test_average_error.moc"
