// SPDX-License-Identifier: Apache-2.0
//
// The noise scale's recurrences: recorded trajectories, estimates of a noise that is known, limits of the
// gain, the change of estimator, the guard against what is not finite, and the state.
#include <functional>
#include <limits>
#include <random>

#include "golden.h"
#include "test_case.h"

using namespace batchscope::goodput;
namespace golden = batchscope::golden;

namespace {

NormSample several(double local_sqr, double total_sqr, int count, double scale) {
  return {{local_sqr}, {total_sqr}, count, scale, {}, {}};
}

NormSample pair_of(double total_sqr, double previous_sqr, double mean_of_two_sqr, double scale = 1) {
  return {{total_sqr}, {total_sqr}, 1, scale, {previous_sqr}, {mean_of_two_sqr}};
}

// A gradient whose noise is known: true_gradient plus independent normal noise, whose covariance has trace
// `noise` at the initial batch size.
struct KnownGradient {
  static constexpr int kDimensions = 16;
  double norm_sqr, noise;
  std::mt19937_64 random;

  std::vector<double> draw(double batch_over_initial) {
    std::normal_distribution<double> normal(std::sqrt(norm_sqr / kDimensions),
                                            std::sqrt(noise / kDimensions / batch_over_initial));
    std::vector<double> gradient(kDimensions);
    for (double& element : gradient) element = normal(random);
    return gradient;
  }
};

double sqr_of(const std::vector<double>& vector) {
  double sum = 0;
  for (const double element : vector) sum += element * element;
  return sum;
}

std::vector<double> mean_of(const std::vector<std::vector<double>>& vectors) {
  std::vector<double> mean(vectors[0].size());
  for (const auto& vector : vectors) {
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += vector[i] / static_cast<double>(vectors.size());
  }
  return mean;
}

struct Statistic {
  double sum = 0, squares = 0;
  int count = 0;
  void add(double value) {
    sum += value;
    squares += value * value;
    ++count;
  }
  double mean() const { return sum / count; }
  double standard_error() const { return std::sqrt((squares / count - mean() * mean()) / (count - 1)); }
};

}  // namespace

class TestNoiseScale : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void goldenTrajectories_data() { golden::trajectory_rows("gns"); }
  void goldenTrajectories() {
    QFETCH(const std::string, file);
    QFETCH(const int, index);
    const auto trajectory = golden::trajectory(file, index);
    const auto& config = trajectory.at("config");
    NoiseScale noise(config.at("groups"), {.smoothing = golden::load(file).at("smoothing").get<double>()});
    const bool adam = config.value("optimizer", "sgd") == std::string("adam");
    double progress = 0;
    QVERIFY(trajectory.at("steps").size() >= 20);
    for (const auto& step : trajectory.at("steps")) {
      const std::string where = "step " + step.at("step").dump() + " ";
      NormSample sample;
      sample.local_sqr = step.at("local_sqr_sum").get<std::vector<double>>();
      sample.total_sqr = step.at("avg_grad_sqr").get<std::vector<double>>();
      sample.count = step.at("num_replicas").get<int>() * step.at("accum_count").get<int>();
      sample.scale = step.at("scale");
      if (!step.at("prev_grad_sqr").is_null()) {
        sample.previous_sqr = step.at("prev_grad_sqr").get<std::vector<double>>();
        sample.mean_of_two_sqr = step.at("mean_of_two_grads_sqr").get<std::vector<double>>();
      }
      const std::vector<double> before = noise.state();
      const bool updated = noise.update(sample);
      QCOMPARE(updated, !step.at("update").is_null());
      QCOMPARE(noise.biased(), step.at("biased_flag").get<bool>());
      // Averages of the difference estimator have no weight any more where there are several gradients.
      const bool reset = before[1] != 0 && sample.count > 1;
      if (updated) checkUpdate(where, before, reset, noise.state(), step.at("update"));
      for (std::size_t group = 0; group < sample.total_sqr.size(); ++group) {
        VERIFY_CLOSE(where + "raw_sqr_avg", noise.sqr_by_group()[group], step.at("raw_sqr_avg").at(group));
        VERIFY_CLOSE(where + "raw_var_avg", noise.var_by_group()[group], step.at("raw_var_avg").at(group));
      }
      VERIFY_CLOSE(where + "sqr_avg", noise.sqr(), step.at("sqr_avg"));
      VERIFY_CLOSE(where + "var_avg", noise.var(), step.at("var_avg"));
      const double gain = noise.gain(sample.scale);
      VERIFY_CLOSE(where + "gain", gain, step.at("gain"));
      progress += gain;
      VERIFY_CLOSE(where + "progress", progress, step.at("progress_after"));
      const auto factors = adam ? adamscale_factors(noise.sqr_by_group(), noise.var_by_group(), sample.scale)
                                : adascale_factors(noise.sqr_by_group(), noise.var_by_group(), sample.scale);
      for (std::size_t group = 0; group < factors.size(); ++group)
        VERIFY_CLOSE(where + "lr_factor", factors[group], step.at("lr_factor").at(group));
    }
  }

  // 200 seeds; the mean estimate lies within three of its standard errors.
  void estimatesOfAKnownNoise_data() {
    QTest::addColumn<int>("count");
    QTest::addColumn<double>("microBatch");  // over the initial batch size
    QTest::newRow("difference estimator") << 1 << 1.0;
    QTest::newRow("difference estimator, twice the batch") << 1 << 2.0;
    QTest::newRow("two replicas") << 2 << 1.0;
    QTest::newRow("two of half the batch: S = 1") << 2 << 0.5;
    QTest::newRow("eight, as 2 replicas x 4 micro-batches") << 8 << 1.0;
    QTest::newRow("four of twice the batch: S = 8") << 4 << 2.0;
  }
  void estimatesOfAKnownNoise() {
    QFETCH(int, count);
    QFETCH(double, microBatch);
    const double norm_sqr = 0.7, noise = 2.5, scale = count * microBatch;
    Statistic sqr, var, gain;
    for (unsigned seed = 0; seed < 200; ++seed) {
      KnownGradient source{norm_sqr, noise, std::mt19937_64(seed)};
      NoiseScale estimate(1);
      std::vector<double> previous;
      for (int step = 0; step < 300; ++step) {
        std::vector<std::vector<double>> gradients;
        double local_sqr = 0;
        for (int i = 0; i < count; ++i) {
          gradients.push_back(source.draw(microBatch));
          local_sqr += sqr_of(gradients.back());
        }
        const std::vector<double> mean = mean_of(gradients);
        NormSample sample = several(local_sqr, sqr_of(mean), count, scale);
        if (count == 1 && step > 0) {
          sample.previous_sqr = {sqr_of(previous)};
          sample.mean_of_two_sqr = {sqr_of(mean_of({previous, mean}))};
        }
        QCOMPARE(estimate.update(sample), count > 1 || step > 0);
        previous = mean;
      }
      sqr.add(estimate.sqr());
      var.add(estimate.var());
      gain.add(estimate.gain(4));
    }
    QVERIFY(std::abs(sqr.mean() - norm_sqr) < 3 * sqr.standard_error());
    QVERIFY(std::abs(var.mean() - noise) < 3 * var.standard_error());
    // A ratio of estimates is biased by the square of its relative spread, a little beyond the standard
    // error.
    const double known_gain = (noise + norm_sqr) / (noise / 4 + norm_sqr);
    QVERIFY(std::abs(gain.mean() - known_gain) < 3 * gain.standard_error() + 0.01 * known_gain);
  }

  void theSmoothingIsAdaptdlsWhereNoneIsGiven() {
    NoiseScale given(1, {.smoothing = 0.999}), none(1);
    for (const double total : {4.0, 3.0, 4.5})
      for (NoiseScale* noise : {&given, &none}) noise->update(several(2 * 5, total, 2, 2));
    QCOMPARE(none.state(), given.state());
  }

  void gainWithoutNoiseIsOne() {
    NoiseScale noise(1);
    QVERIFY(noise.update(several(2 * 5, 5, 2, 2)));  // both gradients the same
    QVERIFY(std::abs(noise.gain(64) - 1) < 1e-5);
  }

  void gainOfPureNoiseIsTheScale() {
    NoiseScale noise(1);
    QVERIFY(noise.update(several(2 * 5, 2, 2, 2)));  // less than noise alone would leave: sqr is clamped to 0
    QCOMPARE(noise.sqr(), 0.0);
    for (const double scale : {1.0, 2.0, 64.0}) {
      QCOMPARE(noise.gain(scale), scale);
      QCOMPARE(noise.raw_gain(scale), scale);
    }
  }

  void gainLiesBetweenOneAndScale() {
    std::mt19937_64 random(2);
    std::exponential_distribution<double> size(1);
    double progress = 0;
    NoiseScale noise(2);
    for (int step = 0; step < 5'000; ++step) {
      const int count = 2 + static_cast<int>(random() % 7);
      const double scale = count * (0.5 + size(random));
      noise.update(
          {{count * size(random), count * size(random)}, {size(random), size(random)}, count, scale, {}, {}});
      const double larger = 1 + 10 * size(random);
      QVERIFY(noise.gain(larger) >= 1 - 1e-12 && noise.gain(larger) <= larger * (1 + 1e-12));
      QVERIFY(noise.raw_gain(larger) >= 1 - 1e-12 && noise.raw_gain(larger) <= larger * (1 + 1e-12));
      QVERIFY(noise.gain(larger + 1) >= noise.gain(larger));
      QVERIFY(progress + noise.gain(scale) > progress);
      progress += noise.gain(scale);
    }
    QCOMPARE(noise.gain(0), 0.0);
  }

  void beforeTheFirstEstimate() {
    NoiseScale noise(2);
    QCOMPARE(noise.sqr(), 2.0);
    QVERIFY(std::abs(noise.var() - 2e-6) < 1e-20);
    QVERIFY(std::abs(noise.gain(8) - 1) < 1e-5);
    QVERIFY(std::isnan(noise.raw_gain(8)));
    QVERIFY(!noise.biased());
  }

  void rawGainIsTheLastStepsAlone() {
    NoiseScale noise(1);
    noise.update(several(2 * 9, 6, 2, 2));
    noise.update(several(2 * 5, 4, 2, 2));  // sqr 3, var 2
    VERIFY_CLOSE("raw gain", noise.raw_gain(4), (2.0 + 3.0) / (2.0 / 4 + 3.0));
  }

  void severalGradientsResetWhatTheDifferenceLeft() {
    NoiseScale noise(1);
    QVERIFY(!noise.update(several(1, 1, 1, 1)));
    QVERIFY(noise.biased());
    QVERIFY(noise.update(pair_of(1, 4, 2)));
    VERIFY_CLOSE("sqr of a pair", noise.sqr_by_group()[0], 2 * 2 - 2.5);
    VERIFY_CLOSE("var of a pair", noise.var_by_group()[0], (2.5 - 2) * 2);
    QVERIFY(noise.update(several(2 * 5, 4, 2, 2)));
    QVERIFY(!noise.biased());
    VERIFY_CLOSE("sqr, begun again", noise.sqr_by_group()[0], 3);
    VERIFY_CLOSE("var, begun again", noise.var_by_group()[0], 2);
    // Back to one gradient the averages go on; they are flagged, so the next several begin again.
    QVERIFY(!noise.update(several(1, 1, 1, 1)));
    QVERIFY(noise.biased());
    QVERIFY(noise.update(pair_of(1, 4, 2)));
    QVERIFY(noise.sqr_by_group()[0] < 3 && noise.sqr_by_group()[0] > 1.5);
    QVERIFY(noise.update(several(2 * 9, 6, 2, 2)));
    VERIFY_CLOSE("sqr, begun once more", noise.sqr_by_group()[0], 3);
    VERIFY_CLOSE("var, begun once more", noise.var_by_group()[0], 6);
  }

  void aGradientWhosePreviousOneIsForgottenIsNoPair() {
    NormSample sample = pair_of(1, 4, 2);
    sample.forget_previous();
    NoiseScale noise(1);
    QVERIFY(!noise.update(sample));
    QVERIFY(std::isnan(noise.raw_gain(2)));
  }

  void averagesBeginAnewWithTheNextEstimate() {
    NoiseScale noise(1);
    noise.update(several(2 * 5, 4, 2, 2));
    noise.begin_anew();
    VERIFY_CLOSE("as it was", noise.sqr(), 3);
    noise.update(several(2 * 9, 6, 2, 2));
    VERIFY_CLOSE("the new one's alone", noise.var(), 6);
  }

  void limitsOfTheFormulas() {
    QCOMPARE(gain_of(1, 0, 0), 0.0);
    QCOMPARE(gain_of(0, 1, 0.5), 0.5);
    for (const auto& [count, smoothing] : {std::pair{0, 1.0}, {250, 0.75}, {1000, 0.0}, {2000, 0.0}})
      QCOMPARE(fairscale_smoothing(count), smoothing);
    NoiseScale last(1, {.smoothing = 0.0}), none(0);
    for (const double total : {4.0, 3.0}) last.update(several(2 * 5, total, 2, 2));
    VERIFY_CLOSE("without smoothing the last counts", last.sqr(), 1);
    QVERIFY(!none.update({{}, {}, 2, 2, {}, {}}));
  }

  void aGroupIsAddedBehindTheOthers() {
    NoiseScale fresh(1), noise(1);
    fresh.add_group();
    QCOMPARE(fresh.state(), NoiseScale(2).state());
    noise.update(several(2 * 5, 4, 2, 2));  // sqr 3, var 2
    noise.add_group();
    QCOMPARE(noise.sqr_by_group().back(), 1.0);
    QCOMPARE(noise.var_by_group().back(), 0.0);
    VERIFY_CLOSE("without an estimate of its own", noise.raw_gain(4), gain_of(3, 2 + 1e-6, 4));
    NoiseScale restored(2);
    restored.restore(noise.state());
    VERIFY_CLOSE("nor one in a checkpoint", restored.raw_gain(4), noise.raw_gain(4));
    noise.update({{2 * 5, 2 * 9}, {4, 6}, 2, 2, {}, {}});
    VERIFY_CLOSE("the first's go on", noise.sqr_by_group()[0], 3);
    VERIFY_CLOSE("the second's begin", noise.sqr_by_group()[1], 3);
    VERIFY_CLOSE("with its variance", noise.var_by_group()[1], 6);
  }

  // It has one estimate, and the others have many.
  void anAddedGroupLeavesTheErrorKnown() {
    NoiseScale noise(1, {.mode = NoiseMode::paper});
    for (int i = 0; i < 10; ++i) noise.update({{10.0 + i % 3}, {4}, 2, 2, {}, {}});
    noise.add_group();
    noise.update({{10, 10}, {4, 4}, 2, 2, {}, {}});
    QVERIFY(noise.params().sqr_error > 0);
  }

  void theGainsIntervalIsThatOfTheEstimates() {
    NoiseScale noise(1);
    for (const double total : {0.04, 0.03, 0.045, 0.029, 0.042}) {
      QVERIFY(noise.gain_interval(4).has_value() == (noise.params().sqr_error > 0));
      noise.update(several(2 * 0.05, total, 2, 2));
    }
    const auto [least, most] = noise.params().interval();
    QVERIFY(noise.gain_interval(4).has_value());
    const auto [low, high] = *noise.gain_interval(4);
    VERIFY_CLOSE("low", low, gain_of(least.sqr, noise.var(), 4));
    VERIFY_CLOSE("high", high, gain_of(most.sqr, noise.var(), 4));
    QVERIFY(low < noise.gain(4) && noise.gain(4) < high);
  }

  void whatIsNotFiniteMovesNothing() {
    NoiseScale noise(2);
    noise.update({{8, 8}, {3, 3}, 2, 2, {}, {}});
    const std::vector<double> before = noise.state();
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      QVERIFY(!noise.update({{8, bad}, {3, 3}, 2, 2, {}, {}}));
      QVERIFY(!noise.update({{8, 8}, {bad, 3}, 2, 2, {}, {}}));
      QVERIFY(!noise.update({{8, 8}, {8, 8}, 1, 1, {bad, 1}, {1, 1}}));
      QVERIFY(!noise.update({{8, 8}, {8, 8}, 1, 1, {1, 1}, {1, bad}}));
      QVERIFY(!noise.update({{bad, 8}, {bad, 8}, 1, 1, {}, {}}));
    }
    QCOMPARE(noise.state(), before);
  }

  // The mode and two flags; sums, weights and averages of a group and its last estimate; the error's sums.
  void aFreshStateHoldsNoEstimate() {
    QCOMPARE(NoiseScale(1).state(), (std::vector<double>{0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0}));
  }

  // Older states end without the error's sums: it is unknown then, and all else is as it was.
  void anOlderStateHasNoError() {
    NoiseScale noise(1), restored(1);
    for (const double total : {4.0, 3.0, 4.5, 2.9}) noise.update(several(2 * 5, total, 2, 2));
    QVERIFY(noise.params().sqr_error > 0);
    std::vector<double> state = noise.state();
    state.resize(state.size() - 4);
    restored.restore(state);
    QCOMPARE(restored.sqr(), noise.sqr());
    QCOMPARE(restored.raw_gain(4), noise.raw_gain(4));
    QCOMPARE(restored.params().sqr_error, 0.0);
    state.pop_back();
    QVERIFY_EXCEPTION_THROWN(restored.restore(state), std::invalid_argument);
  }

  void theStateGoesOnBitForBit() {
    std::mt19937_64 random(4);
    std::exponential_distribution<double> size(1);
    const auto next = [&] { return NormSample{{size(random), size(random)}, {0.3, 0.2}, 2, 2, {}, {}}; };
    NoiseScale one(2), other(2);
    other.restore(one.state());
    QVERIFY(std::isnan(other.raw_gain(2)));
    one.update({{1, 1}, {1, 1}, 1, 1, {2, 2}, {1, 1}});
    other.restore(one.state());
    QVERIFY(other.biased());
    for (int step = 0; step < 100; ++step) {
      const NormSample sample = next();
      one.update(sample);
      other.update(sample);
      QCOMPARE(other.state(), one.state());
      QCOMPARE(other.raw_gain(3), one.raw_gain(3));
      QCOMPARE(other.gain(3), one.gain(3));
      if (step % 10 == 0) {
        other = NoiseScale(2);
        other.restore(one.state());
        QCOMPARE(other.raw_gain(3), one.raw_gain(3));
        QCOMPARE(other.state(), one.state());
      }
    }
  }

  void wrongArgumentsAreRefused() {
    QVERIFY_EXCEPTION_THROWN(NoiseScale(1, {.smoothing = 1.0}), std::invalid_argument);
    QVERIFY_EXCEPTION_THROWN(NoiseScale(1, {.smoothing = -0.1}), std::invalid_argument);
    NoiseScale noise(2);
    const std::vector<double> before = noise.state();
    QVERIFY_EXCEPTION_THROWN(noise.update(several(1, 1, 2, 2)), std::invalid_argument);
    QVERIFY_EXCEPTION_THROWN(noise.update({{1}, {1, 1}, 2, 2, {}, {}}), std::invalid_argument);
    QVERIFY_EXCEPTION_THROWN(noise.update({{1, 1}, {1}, 2, 2, {}, {}}), std::invalid_argument);
    QVERIFY_EXCEPTION_THROWN(noise.update({{1, 1}, {1, 1}, 0, 2, {}, {}}), std::invalid_argument);
    QVERIFY_EXCEPTION_THROWN(noise.update({{1, 1}, {1, 1}, 2, 0, {}, {}}), std::invalid_argument);
    QVERIFY_EXCEPTION_THROWN(noise.update({{1, 1}, {1, 1}, 1, 1, {1, 1}, {1}}), std::invalid_argument);
    QVERIFY_EXCEPTION_THROWN(noise.update({{1, 1}, {1, 1}, 1, 1, {1}, {1, 1}}), std::invalid_argument);
    QVERIFY_EXCEPTION_THROWN(noise.restore(NoiseScale(3).state()), std::invalid_argument);
    std::vector<double> broken = before;
    broken.back() = std::numeric_limits<double>::quiet_NaN();
    QVERIFY_EXCEPTION_THROWN(noise.restore(broken), std::invalid_argument);
    QCOMPARE(noise.state(), before);
  }

 private:
  // The step's own estimates are the last two numbers of each group's eight; theta is what its weight decayed
  // by.
  static void checkUpdate(const std::string& where, const std::vector<double>& before, bool reset,
                          const std::vector<double>& after, const nlohmann::json& update) {
    for (std::size_t group = 0; group < update.at("grad_sqr").size(); ++group) {
      const std::size_t first = 3 + 8 * group;
      VERIFY_CLOSE(where + "grad_sqr", after[first + 6], update.at("grad_sqr").at(group));
      VERIFY_CLOSE(where + "grad_var", after[first + 7], update.at("grad_var").at(group));
      const double theta = update.at("theta");
      const double weight = reset ? 0 : before[first + 1];
      VERIFY_CLOSE(where + "theta", after[first + 1], theta * weight + (1 - theta));
    }
  }
};

BATCHSCOPE_TEST(TestNoiseScale)
#include "test_noise_scale.moc"
