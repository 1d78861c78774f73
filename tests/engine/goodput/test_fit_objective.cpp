// SPDX-License-Identifier: Apache-2.0
//
// What the fit makes as small as it can: its value, its slope, how rows weigh in it.
#include "fit_rows.h"
#include "test_case.h"

using namespace batchscope::goodput;
namespace golden = batchscope::golden;

class TestFitObjective : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void goldenObjective() {
    const auto vectors = golden::load("fit.json");
    for (const auto& profile : vectors.at("profiles")) {
      const auto rows = rows_of(profile);
      const std::string kind = profile.at("kind");
      VERIFY_CLOSE(kind + " at x0", fit_objective(params_of(profile.at("scipy").at("x0")), rows),
                   profile.at("objective_at_x0"));
      VERIFY_CLOSE(kind + " at raw", fit_objective(params_of(profile.at("scipy").at("x_raw")), rows),
                   profile.at("objective_at_raw"));
      VERIFY_CLOSE(kind + " at true", fit_objective(params_of(profile.at("true_params")), rows),
                   profile.at("objective_at_true"));
      VERIFY_CLOSE(kind + " at fitted", fit_objective(golden::perf_params(profile.at("fitted")), rows),
                   profile.at("objective_at_fitted"));
    }
  }

  void goldenGradient() {
    const auto vectors = golden::load("fit.json");
    for (const auto& profile : vectors.at("profiles")) {
      const FitObjective objective(rows_of(profile));
      ParamVector slope;
      objective(vector_of(profile.at("scipy").at("x0")), 0, &slope);
      for (std::size_t i = 0; i <= kGamma; ++i) {
        VERIFY_CLOSE(profile.at("kind").get<std::string>() + " parameter " + std::to_string(i), slope[i],
                     profile.at("grad_at_x0").at(i));
      }
    }
  }

  void theGradientIsThatOfTheObjective_data() {
    batchscope::testing::rows<QByteArray>("smoothing", {"0", "1e-3", "0.5"});
  }

  void theGradientIsThatOfTheObjective() {
    QFETCH(const QByteArray, smoothing);
    const double smoothed = smoothing.toDouble();
    PerfParams perf = kTrue;
    perf.core_exponent = 0.6;
    perf.core_overhead = 0.05;
    perf.contention = 0.2;
    std::vector<ProfileRow> rows = rows_on_cores(kTrue);
    rows[3].weight = 0.3;
    for (const ProfileRow& row : measured(kTrue, kEverywhere, {16, 64}, 0.1)) rows.push_back(row);
    const FitObjective objective(rows, 0.7);
    const ParamVector at = to_vector(perf);
    ParamVector slope, unused;
    const FitObjective::Value here = objective(at, smoothed, &slope);
    QVERIFY(smoothed == 0 ? here.smoothed == here.exact : here.smoothed > here.exact);
    for (std::size_t i = 0; i < at.size(); ++i) {
      ParamVector above = at, below = at;
      const double h = 1e-6 * at[i];
      above[i] += h;
      below[i] -= h;
      const double expected =
          (objective(above, smoothed, &unused).smoothed - objective(below, smoothed, &unused).smoothed) /
          (2 * h);
      QVERIFY2(std::abs(slope[i] - expected) < 1e-5 * std::max(1.0, std::abs(expected)),
               golden::differ("parameter " + std::to_string(i), slope[i], expected));
    }
  }

  void theResidualKnowsTheCoresOfEachRow() {
    PerfParams truth = kTrue;
    truth.core_exponent = 0.9;
    truth.core_overhead = 0.02;
    truth.contention = 0.25;
    QVERIFY(fit_residual(truth, rows_on_cores(truth)) < 1e-9);
  }

  // Of 1 and 4 % off, the second counted twice.
  void theResidualIsByWeight() {
    std::vector<ProfileRow> rows = measured(kTrue, {{1, 2}, {1, 4}}, {32});
    QVERIFY(fit_residual(kTrue, rows) < 1e-9);
    rows[0].optimizer_step_time *= std::exp(0.01);
    rows[1].optimizer_step_time *= std::exp(-0.04);
    rows[0].weight = 0.5;
    QCOMPARE(fit_residual(kTrue, rows), std::sqrt((0.5 * 0.0001 + 0.0016) / 1.5));
  }

  // Times that are met exactly leave no error, and what is left is what speaks against the parameters.
  void theObjectiveOfTheTruthIsItsRegulariser() {
    PerfParams truth = kTrue;
    truth.core_exponent = 0.6;
    truth.core_overhead = 0.05;
    truth.contention = 0.2;
    const std::vector<ProfileRow> rows = rows_on_cores(truth);
    double mean_time = 0;
    for (const ProfileRow& row : rows)
      mean_time += row.accumulation_step_time / static_cast<double>(rows.size());
    const auto square = [](double value) { return value * value; };
    const double expected = 1e-3 * square(truth.gamma - 1) + 1e-2 * square(truth.beta_n / truth.alpha_n) +
                            1e-2 * square(truth.beta_r / truth.alpha_r) + 1e-3 * square(1 - 0.6) +
                            1e-3 * square(0.05 / mean_time) + 1e-2 * square(0.2);
    const double objective = fit_objective(truth, rows);
    QVERIFY2(std::abs(objective - expected) < 1e-7, golden::differ("objective", objective, expected));
    // A first guess of the contention is what it is held against.
    const double guessed = FitObjective(rows, 0.5)(to_vector(truth), 0, nullptr).exact - objective;
    const double expected_more = 1e-2 * square(0.2 - 0.5) - 1e-2 * square(0.2);
    QVERIFY2(std::abs(guessed - expected_more) < 1e-12, golden::differ("guessed", guessed, expected_more));
  }

  // Roots of the weighted means of squares, in logarithms: sqrt((1 * 0.1^2 + 3 * 0.3^2) / 4) and
  // sqrt((1 * 0.2^2 + 3 * 0.4^2) / 4).
  void errorsCountByTheirWeights() {
    PerfParams perf = kTrue;
    perf.gamma = 1;
    const double time = accumulation_time(perf, 64), step = step_time(perf, {1, 1, 64, 0});
    const std::vector<ProfileRow> rows{{1, 1, 64, time * std::exp(0.1), step * std::exp(0.2), 0, 0, 1},
                                       {1, 1, 64, time * std::exp(-0.3), step * std::exp(-0.4), 0, 0, 3}};
    const double errors = fit_objective(perf, rows) - fit_objective(perf, measured(perf, {{1, 1}}, {64}));
    const double expected = std::sqrt(0.07) + std::sqrt(0.13);
    QVERIFY2(std::abs(errors - expected) < 1e-7, golden::differ("errors", errors, expected));
  }

  // A root has no slope at 0: where all times of one kind are met exactly, these do not pull.
  void whatIsMetExactlyDoesNotPull() {
    const PerfParams perf{1, 1, 1, kFloor, 1, kFloor, 10};  // two seconds for one sample
    const auto slope = [&](const ProfileRow& row) {
      ParamVector found;
      FitObjective(std::vector{row})(to_vector(perf), 0, &found);
      return found[kAlphaC];
    };
    QCOMPARE(slope({1, 1, 1, 2, 2}), 0.0);
    VERIFY_CLOSE("a step alone", slope({1, 1, 1, 2, 4}), -0.5);
    VERIFY_CLOSE("a micro-batch alone", slope({1, 1, 1, 1, 2}), 0.5);
  }
};

BATCHSCOPE_TEST(TestFitObjective)
#include "test_fit_objective.moc"
