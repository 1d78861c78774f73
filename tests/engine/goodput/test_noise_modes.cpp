// SPDX-License-Identifier: Apache-2.0
//
// The modes of averaging: FairScale's recorded trajectories, and the paper's rules in closed form.
#include <algorithm>
#include <random>
#include <vector>

#include "golden.h"
#include "test_case.h"

using namespace batchscope::goodput;
namespace golden = batchscope::golden;

namespace {

// Two gradients at S = scale whose estimates are exactly these.
NormSample estimating(double sqr, double var, double scale = 2) {
  const double total = sqr + var / scale;
  return {{2 * (total + var / scale)}, {total}, 2, scale, {}, {}};
}

// One gradient and the one before it, whose estimates are exactly these at S = 1.
NormSample a_pair_estimating(double sqr, double var) {
  const double each = sqr + var, mean = sqr + var / 2;
  return {{each}, {each}, 1, 1, {each}, {mean}};
}

double noise_scale(const NoiseScale& noise) { return noise.var() / noise.sqr(); }

}  // namespace

class TestNoiseModes : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void fairscaleTrajectories_data() { golden::trajectory_rows("fairscale_adascale"); }
  void fairscaleTrajectories() {
    QFETCH(const std::string, file);
    QFETCH(const int, index);
    const auto trajectory = golden::trajectory(file, index);
    if (trajectory.contains("error")) return;  // the optimizer's to refuse
    const auto& config = trajectory.at("config");
    const int accumulation = config.at("accum");
    const bool scaled = config.at("is_scaled_loss"), debiases = config.value("debias_ewma", true);
    NoiseScale noise(1, {NoiseMode::fairscale, trajectory.at("smoothing").get<double>(), debiases});
    NoiseScale by_count(1, {.mode = NoiseMode::fairscale});
    double progress = 0;
    QVERIFY(trajectory.at("steps").size() >= 20);
    for (const auto& step : trajectory.at("steps")) {
      // A loss divided by the number of micro-batches makes gradients that are, one not divided a sum.
      double local = 0;
      for (const auto& micro_batches : step.at("micro_by_rank"))
        for (const auto& micro : micro_batches) local += micro.at("grad_sqr").get<double>();
      double total = step.at("grad_sqr_of_param_grad");
      (scaled ? local : total) *= scaled ? accumulation * accumulation : 1.0 / (accumulation * accumulation);
      const double scale = trajectory.at("scale");
      const NormSample sample{{local}, {total}, config.at("replicas").get<int>() * accumulation,
                              scale,   {},      {}};
      QVERIFY(noise.update(sample));
      by_count.update(sample);
      const std::string where = "step " + step.at("step").dump();
      // The recorded squares were summed in single precision.
      const auto near = [](double is, double should) { return golden::close(is, should, 1e-5); };
      QVERIFY2(near(noise.sqr(), step.at("grad_sqr_avg")), where.c_str());
      QVERIFY2(near(noise.var(), step.at("grad_var_avg")), where.c_str());
      progress += noise.gain(scale);
      QVERIFY2(near(noise.gain(scale), step.at("gain")), where.c_str());
      QVERIFY2(near(progress, step.at("effective_steps")), where.c_str());
      // The mode's own smoothing is the same, where none was asked for.
      if (config.value("smoothing", nlohmann::json()).is_null())
        QCOMPARE(by_count.gain(scale), noise.gain(scale));
    }
  }

  void gainIsOneAtFirst() {
    for (const NoiseMode mode : {NoiseMode::paper, NoiseMode::fairscale}) {
      const NoiseScale noise(2, {.mode = mode});
      for (const double scale : {1.0, 2.0, 64.0}) QCOMPARE(noise.gain(scale), 1.0);
    }
  }

  // theta = 1 - 200/1000: the mean of fewer than 1/0.2 estimates, and theta's average from there.
  void paperBeginsWithTheMean() {
    NoiseScale noise(1, {.mode = NoiseMode::paper});
    const std::vector<double> estimates{5, 1, 3, 7, 2, 9};
    double expected = 0;
    for (std::size_t i = 0; i < estimates.size(); ++i) {
      QVERIFY(noise.update(estimating(estimates[i], 2 * estimates[i], 200)));
      const double count = static_cast<double>(i) + 1;
      expected =
          count < 5 ? (expected * (count - 1) + estimates[i]) / count : 0.8 * expected + 0.2 * estimates[i];
      VERIFY_CLOSE("sqr", noise.sqr(), expected);
      VERIFY_CLOSE("var", noise.var(), 2 * expected);
      VERIFY_CLOSE("gain", noise.gain(200), 3 / (2.0 / 200 + 1));
    }
  }

  void paperDoesNotAverageAtAThousand() {
    NoiseScale noise(1, {.mode = NoiseMode::paper});
    for (const double estimate : {5.0, 1.0, 3.0}) {
      noise.update(estimating(estimate, estimate, 2000));
      VERIFY_CLOSE("sqr", noise.sqr(), estimate);
    }
  }

  // Clipped before averaging, a negative estimate counts as none; clipped after it, it counts in full.
  void clipsBeforeAveraging() {
    NoiseScale paper(1, {.mode = NoiseMode::paper}), adaptdl(1);
    for (NoiseScale* noise : {&paper, &adaptdl}) {
      noise->update(estimating(4, 1));
      noise->update(estimating(-2, 1));
    }
    VERIFY_CLOSE("paper", paper.sqr(), 2);
    QVERIFY(std::abs(adaptdl.sqr() - 1) < 0.01);
    paper.update(estimating(3, -5));
    VERIFY_CLOSE("variance", paper.var(), (1 + 1 + 1e-6) / 3);
  }

  void fairscaleWithoutDebiasingBeginsWithTheMean() {
    NoiseScale noise(1, {.mode = NoiseMode::fairscale, .smoothing = 0.5, .debias = false});
    noise.update(estimating(4, 1));
    VERIFY_CLOSE("mean of one", noise.sqr(), 4);
    noise.update(estimating(1, 1));
    VERIFY_CLOSE("average from the second on", noise.sqr(), 0.5 * 4 + 0.5 * 1);
    noise.set_smoothing(0.75);
    noise.update(estimating(7, 1));
    VERIFY_CLOSE("a mean again, of two at 2.5 and this", noise.sqr(), (2.5 + 2.5 + 7) / 3);
  }

  void varianceOfAnotherUnit() {
    NoiseScale noise(1, {.mode = NoiseMode::fairscale, .smoothing = 0.5});
    noise.update(estimating(1, 6));
    noise.rescale_variance(0.5);
    VERIFY_CLOSE("at once", noise.var(), 3);
    VERIFY_CLOSE("and the gain", noise.gain(4), 4 / (3.0 / 4 + 1));
    noise.update(estimating(1, 9));  // debiased weights of 1/3 and 2/3
    VERIFY_CLOSE("and in the average", noise.var(), (3 + 2 * 9) / 3.0);
    VERIFY_CLOSE("the gradient's stays", noise.sqr(), 1);
  }

  // The quotient's error and the variance change against one another, and tracking's quotients with them.
  void theErrorIsOfTheSameGradientInAnyUnit() {
    for (const NoiseMode mode :
         {NoiseMode::adaptdl, NoiseMode::paper, NoiseMode::fairscale, NoiseMode::tracking}) {
      NoiseScale noise(1, {.mode = mode});
      for (const double sqr : {1.0, 2.0, 3.0, 4.0, 5.0}) noise.update(estimating(sqr, 6));
      const double before = noise.params().sqr_error;
      noise.rescale_variance(0.5);
      QVERIFY(before > 0);
      VERIFY_CLOSE("error", noise.params().sqr_error, before);
      VERIFY_CLOSE("variance", noise.var(), 3);
    }
    NoiseScale tracking(1, {.mode = NoiseMode::tracking});
    for (int i = 0; i < 10; ++i) tracking.update(estimating(3, 6));
    tracking.rescale_variance(0.5);
    tracking.update(estimating(3, 3));
    VERIFY_CLOSE("sqr, in the new unit", tracking.sqr(), 3);
    VERIFY_CLOSE("var, in the new unit", tracking.var(), 3);
  }

  void nothingIsTakenOverFromBeforeTheFirstEstimate() {
    NoiseScale paper(1, {.mode = NoiseMode::paper});
    paper.restore(NoiseScale(1).state());
    paper.update(estimating(4, 2));
    VERIFY_CLOSE("the first alone", paper.sqr(), 4);
  }

  void takesOverAnotherModesAverages() {
    NoiseScale adaptdl(1), paper(1, {.mode = NoiseMode::paper});
    for (int i = 0; i < 100; ++i) adaptdl.update(estimating(4, 2));
    paper.restore(adaptdl.state());
    VERIFY_CLOSE("as it was", paper.sqr(), 4);
    paper.update(estimating(1, 2));
    VERIFY_CLOSE("as one estimate of two", paper.sqr(), 2.5);
  }

  void trackingKnowsWhatDoesNotChange() {
    NoiseScale noise(1, {.mode = NoiseMode::tracking});
    for (const double scale : {2.0, 2.0, 8.0, 64.0, 2.0}) {
      QVERIFY(noise.update(estimating(3, 5, scale)));
      VERIFY_CLOSE("sqr", noise.sqr(), 3);
      VERIFY_CLOSE("var", noise.var(), 5);
    }
    for (int i = 0; i < 20; ++i) noise.update(estimating(3, 5));
    QVERIFY2(noise.params().sqr_error < 1e-6, "estimates that are all equal do not scatter");
  }

  // Memories of 20 batches for the variance, and of a fifth of the age, from 100 to 1000, for the quotient.
  void trackingRemembersAsItSays_data() {
    QTest::addColumn<int>("estimates");
    QTest::addColumn<double>("memory");
    QTest::newRow("young") << 1 << 100.0;
    QTest::newRow("as long as the least") << 62 << 8 * 63 / 5.0;
    QTest::newRow("older") << 249 << 8 * 250 / 5.0;
    QTest::newRow("old") << 700 << 1000.0;
  }
  void trackingRemembersAsItSays() {
    QFETCH(const int, estimates);
    QFETCH(const double, memory);
    NoiseScale noise(1, {.mode = NoiseMode::tracking});
    for (int i = 0; i < estimates; ++i) noise.update(estimating(3, 5, 8));
    const double weight = noise.state()[4], of_var = noise.state()[7];
    noise.update(estimating(9, 15, 8));
    const double theta = std::pow(1 - 1 / memory, 8), theta_var = std::pow(1 - 1 / 20.0, 8);
    const double var = (theta_var * of_var * 5 + (1 - theta_var) * 15) / (theta_var * of_var + 1 - theta_var);
    const double quotient = (theta * weight * 3 / 5 + (1 - theta) * 9 / var) / (theta * weight + 1 - theta);
    VERIFY_CLOSE("var", noise.var(), var);
    VERIFY_CLOSE("sqr", noise.sqr(), var * quotient);
  }

  // Begun anew it is as young as at first. At an age of 500 a fifth of it begins to count.
  void trackingBegunAnewIsYoung() {
    NoiseScale noise(1, {.mode = NoiseMode::tracking}), fresh = noise;
    for (int i = 0; i < 700; ++i) noise.update(estimating(3, 5, 8));
    noise.begin_anew();
    for (const double estimate : {2.0, 4.0, 9.0})
      for (NoiseScale* each : {&noise, &fresh}) each->update(estimating(estimate, 5, 400));
    QCOMPARE(noise.sqr(), fresh.sqr());
    QCOMPARE(noise.var(), fresh.var());
  }

  // The noise scale grows with time, and both that it is made of fall.
  void trackingIsLateByASmallShare() {
    for (const int steps : {200, 1000, 3000}) {
      NoiseScale tracking(1, {.mode = NoiseMode::tracking}), adaptdl(1);
      const auto var = [](int step) { return 1 / (1 + step / 50.0); };
      for (int step = 0; step < steps; ++step)
        for (NoiseScale* noise : {&tracking, &adaptdl})
          noise->update(estimating(var(step) * var(step), var(step)));
      const double truth = 1 / var(steps);
      QVERIFY2(noise_scale(tracking) < truth && noise_scale(tracking) > 0.7 * truth,
               qPrintable(QString::number(noise_scale(tracking) / truth)));
      QVERIFY2(noise_scale(adaptdl) < 0.6 * truth, qPrintable(QString::number(noise_scale(adaptdl) / truth)));
    }
  }

  // Estimates of the gradient scatter about it, some below zero.
  void trackingRemembersLongerAsItAges() {
    const auto spread = [](int steps) {
      NoiseScale noise(1, {.mode = NoiseMode::tracking});
      double most = 0, least = 1e9;
      for (int step = 0; step < steps; ++step) {
        noise.update(estimating(step % 20 == 0 ? 105 : -5, 1));
        if (step < steps - 20) continue;
        most = std::max(most, noise.sqr());
        least = std::min(least, noise.sqr());
      }
      return most - least;
    };
    QVERIFY(spread(4000) < 0.5 * spread(400));
  }

  void trackingGoesOnWhereSeveralGradientsFollow() {
    NoiseScale tracking(1, {.mode = NoiseMode::tracking}), adaptdl(1);
    for (NoiseScale* noise : {&tracking, &adaptdl}) {
      for (int i = 0; i < 100; ++i) noise->update(a_pair_estimating(4, 2));
      VERIFY_CLOSE("of pairs", noise->sqr(), 4);
      noise->update(estimating(1, 2));
    }
    VERIFY_CLOSE("begun anew", adaptdl.sqr(), 1);
    QVERIFY(tracking.sqr() > 3.9 && tracking.sqr() < 4);
  }

  void trackingOfGroups() {
    NoiseScale noise(2, {.mode = NoiseMode::tracking});
    for (int i = 0; i < 10; ++i) noise.update({{2 * (3 + 1), 2 * 7}, {3 + 0.5, 7}, 2, 1, {}, {}});
    VERIFY_CLOSE("one with noise", noise.sqr_by_group()[0], 3);
    VERIFY_CLOSE("one without", noise.sqr_by_group()[1], 7);
    VERIFY_CLOSE("noise of the first", noise.var_by_group()[0], 0.5);
    VERIFY_CLOSE("noise of the second", noise.var_by_group()[1], 0);
  }

  void trackingGoesOnFromItsState() {
    NoiseScale noise(1, {.mode = NoiseMode::tracking}), restored(1, {.mode = NoiseMode::tracking});
    const auto step = [](NoiseScale& at, int number) { at.update(estimating(1.0 / number, 3.0 / number)); };
    for (int i = 1; i <= 900; ++i) step(noise, i);
    restored.restore(noise.state());
    for (int i = 901; i <= 950; ++i) {
      step(noise, i);
      step(restored, i);
      QCOMPARE(restored.state(), noise.state());
    }
    std::vector<double> state = noise.state();
    state.pop_back();
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, restored.restore(state));
  }

  void trackingTakesOverAdaptDLsAveragesAndGivesThemBack() {
    NoiseScale adaptdl(1), tracking(1, {.mode = NoiseMode::tracking}), again(1);
    for (int i = 0; i < 100; ++i) adaptdl.update(estimating(4, 2));
    tracking.restore(adaptdl.state());
    VERIFY_CLOSE("as it was", tracking.sqr(), 4);
    QCOMPARE(tracking.state().at(3 + 8), 0.0);  // its age: of the other's nothing is known
    tracking.update(estimating(4, 2));
    VERIFY_CLOSE("and by one more", tracking.sqr(), 4);
    VERIFY_CLOSE("the variance, too", tracking.var(), 2);
    again.restore(tracking.state());
    again.update(estimating(4, 2));
    VERIFY_CLOSE("back", again.sqr(), 4);
  }

  // As where steps are asked now and then: averages as of the steps that it stands for, an error as of one.
  void anEstimateMayStandForSeveralSteps_data() {
    QTest::addColumn<int>("mode");
    for (const auto& [name, mode] : {std::pair("adaptdl", NoiseMode::adaptdl),
                                     {"paper", NoiseMode::paper},
                                     {"fairscale", NoiseMode::fairscale},
                                     {"tracking", NoiseMode::tracking}})
      QTest::newRow(name) << static_cast<int>(mode);
  }
  void anEstimateMayStandForSeveralSteps() {
    QFETCH(const int, mode);
    std::mt19937_64 random(9);
    std::exponential_distribution<double> size(1);
    NoiseScale once(1, {.mode = static_cast<NoiseMode>(mode)}), often = once;
    for (int step = 0; step < 200; ++step) {
      const double total = size(random);
      const NormSample sample{{2 * total + size(random)}, {total}, 2, 2, {}, {}};
      once.update(sample, 5);
      for (int i = 0; i < 5; ++i) often.update(sample);
    }
    const double tolerance = mode == static_cast<int>(NoiseMode::tracking) ? 0.2 : 1e-9;  // its divisor moves
    QVERIFY2(std::abs(once.sqr() / often.sqr() - 1) < tolerance,
             std::to_string(once.sqr() / often.sqr()).c_str());
    QVERIFY(std::abs(once.var() / often.var() - 1) < tolerance);
    QVERIFY(once.params().sqr_error > 1.2 * often.params().sqr_error);
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, once.update({{1}, {1}, 2, 2, {}, {}}, 0));
  }
};

BATCHSCOPE_TEST(TestNoiseModes)
#include "test_noise_modes.moc"
