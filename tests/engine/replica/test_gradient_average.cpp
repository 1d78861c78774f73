// SPDX-License-Identifier: Apache-2.0
//
// The average of a program's own gradients, of one replica: what becomes of micro-batches, and the gain as
// the noise scale has it that is fed with the same norms.
#include "adapt/metrics.h"
#include "adapt/step_context.h"
#include "batchscope/goodput/noise_scale.h"
#include "batchscope/protocol/error.h"
#include "batchscope/replica/gradient_average.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::replica;

namespace {

using Numbers = std::vector<double>;

// Two micro-batches of four samples.
void set_context(bool last, double weight = 1) {
  step_context() = {.initial_batch_size = 4,
                    .local_batch_size = 4,
                    .accumulation_steps = 1,
                    .micro_step = last,
                    .optimizer_step = last,
                    .gradient_weight = weight,
                    .even = weight == 1,
                    .samples = last ? 8 : 4};
}

}  // namespace

class TestGradientAverage : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void it_averages_and_gains_as_the_noise_scale_does() {
    GradientAverage average(2);
    goodput::NoiseScale noise(1);
    for (int i = 0; i < 5; ++i) {
      const Numbers first{1.0 + i, 2}, second{3, 4.0 - i};
      set_context(false);
      QVERIFY(!average.add(first));
      set_context(true);
      const auto step = average.add(second);
      QVERIFY(step);
      const Numbers mean{(first[0] + second[0]) / 2, (first[1] + second[1]) / 2};
      QCOMPARE(step->gradient, mean);
      const auto square = [](const Numbers& g) { return g[0] * g[0] + g[1] * g[1]; };
      noise.update({.local_sqr = {square(first) + square(second)},
                    .total_sqr = {square(mean)},
                    .count = 2,
                    .scale = 2,
                    .previous_sqr = {},
                    .mean_of_two_sqr = {}});
      QCOMPARE(step->gain, noise.gain(2));
      const auto steps = metrics::steps();
      average.finish(0.1);
      QCOMPARE(metrics::steps(), steps + 1);
    }
  }

  // Two successive gradients of a single replica are a pair, but not those of two batch sizes.
  void a_pair_is_of_one_batch_size() {
    GradientAverage average(1);
    const auto gain = [&](std::int64_t samples, double gradient) {
      step_context() = {.initial_batch_size = 4, .local_batch_size = samples, .samples = samples};
      const double gained = average.add(Numbers{gradient})->gain;
      average.finish(0.1);
      return gained;
    };
    gain(8, 3);
    goodput::NoiseScale noise(1);
    noise.update({{1}, {1}, 1, 2, {9}, {4}});
    QCOMPARE(gain(8, 1), noise.gain(2));
    QCOMPARE(gain(16, 100), noise.gain(4));  // what 1 and 100 differ by says nothing of noise
    noise.update({{81}, {81}, 1, 4, {100 * 100}, {(100 + 9) * (100 + 9) / 4.0}});
    QCOMPARE(gain(16, 9), noise.gain(4));
  }

  void padding_weighs_nothing() {
    GradientAverage average(1);
    set_context(false, 2);
    average.add(Numbers{3});
    set_context(true, 0);
    const auto step = average.add(Numbers{std::nan("")});
    QVERIFY(step);
    QCOMPARE(step->gradient, Numbers{3});
    average.finish(0.1);
  }

  void of_another_size_it_takes_none() {
    GradientAverage average(2);
    QVERIFY_THROWS_EXCEPTION(Error, average.add(Numbers{1}));
    QVERIFY_THROWS_EXCEPTION(Error, GradientAverage(2));  // there is one
  }
};

BATCHSCOPE_TEST(TestGradientAverage)
#include "test_gradient_average.moc"
