// SPDX-License-Identifier: Apache-2.0
//
// The fit of the performance model: SciPy's recorded fits, parameters that are known, what a profile cannot
// tell.
#include <limits>
#include <random>

#include "fit_objective.h"
#include "golden.h"
#include "rows.h"
#include "test_case.h"

using namespace batchscope::goodput;
namespace golden = batchscope::golden;

namespace {

constexpr double kFloor = 1e-8;
constexpr PerfParams kTrue{0.121, 0.00568, 0.0236, 0.00634, 0.0118, 0.00317, 1.8};

std::vector<ProfileRow> rows_of(const nlohmann::json& profile) {
  std::vector<ProfileRow> rows;
  for (std::size_t i = 0; i < profile.at("num_nodes").size(); ++i) {
    rows.push_back({profile.at("num_nodes").at(i), profile.at("num_replicas").at(i),
                    profile.at("atomic_bsz").at(i), profile.at("accum_step_time").at(i),
                    profile.at("optim_step_time").at(i)});
  }
  return rows;
}

// AdaptDL's seven parameters, the two of ours at 0.
ParamVector vector_of(const nlohmann::json& json) {
  ParamVector vector{};
  std::copy(json.begin(), json.end(), vector.begin());
  return vector;
}

PerfParams params_of(const nlohmann::json& vector) { return to_params(vector_of(vector)); }

// Rows as the true model gives them, times a log-normal noise.
std::vector<ProfileRow> measured(const PerfParams& perf, const std::vector<std::pair<int, int>>& replicas,
                                 const std::vector<std::int64_t>& local_batch_sizes, double noise = 0) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> unit;
  std::vector<ProfileRow> rows;
  for (const auto& [nodes, count] : replicas) {
    for (const std::int64_t local : local_batch_sizes) {
      rows.push_back({nodes, count, local, accumulation_time(perf, local) * std::exp(noise * unit(random)),
                      step_time(perf, {nodes, count, local, 0}) * std::exp(noise * unit(random))});
    }
  }
  return rows;
}

// Rows of a machine with four cores that replicas divide: `cores` of them for a lone one.
ProfileRow row_on_cores(const PerfParams& perf, int replicas, std::int64_t local, int cores) {
  const Devices devices{4, false, cores};
  return {1,
          replicas,
          local,
          accumulation_time(perf, local, cores, replicas),
          step_time(perf, {1, replicas, local, 0}, devices),
          cores,
          replicas};
}

std::vector<ProfileRow> rows_on_cores(const PerfParams& perf) {
  std::vector<ProfileRow> rows;
  for (const std::int64_t local : {16, 64, 256})
    for (const auto& [replicas, cores] : {std::pair{1, 1}, {1, 2}, {1, 4}, {2, 2}, {4, 1}, {2, 1}})
      rows.push_back(row_on_cores(perf, replicas, local, cores));
  return rows;
}

bool within(double value, double expected, double share) {
  return std::abs(value - expected) <= share * std::abs(expected);
}

const std::vector<std::pair<int, int>> kEverywhere{{1, 1}, {1, 2}, {1, 4}, {1, 8},
                                                   {2, 2}, {2, 4}, {4, 8}, {4, 16}};

}  // namespace

class TestFit : public QObject {
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

  void noWorseThanSciPy() {
    const auto vectors = golden::load("fit.json");
    for (const auto& profile : vectors.at("profiles")) {
      const auto rows = rows_of(profile);
      const PerfParams perf = fit(rows);
      const double objective = fit_objective(perf, rows), recorded = profile.at("objective_at_raw");
      checkBounds(perf);
      QVERIFY2(objective <= recorded + 1e-6, golden::differ(profile.at("kind"), objective, recorded));
    }
  }

  void exactTimesGiveThePredictionsBack() {
    const auto rows = measured(kTrue, kEverywhere, {16, 64, 256});
    const PerfParams perf = fit(rows);
    for (const ProfileRow& row : rows) {
      const double predicted = step_time(perf, {row.num_nodes, row.num_replicas, row.local_batch_size, 0});
      QVERIFY(std::abs(predicted / row.optimizer_step_time - 1) < 0.01);
      QVERIFY(std::abs(accumulation_time(perf, row.local_batch_size) / row.accumulation_step_time - 1) <
              0.01);
    }
  }

  // A search that stops at what is smoothed leaves as much as 5e-4.
  void exactTimesAreMetNoWorseThanByTheTruth() {
    std::mt19937_64 random(7);
    const auto part = [&random](double of, double least, double most) {
      return of * std::exp(std::uniform_real_distribution<double>(std::log(least), std::log(most))(random));
    };
    for (int i = 0; i < 40; ++i) {
      PerfParams perf{.alpha_c = part(1, 0.01, 1), .gamma = part(1, 1, 4)};
      perf.beta_c = part(perf.alpha_c, 0.003, 0.1);
      perf.alpha_r = part(perf.alpha_c, 0.1, 3);
      perf.beta_r = part(perf.alpha_r, 0.01, 0.1);
      perf.alpha_n = part(perf.alpha_r, 1, 7);
      perf.beta_n = part(perf.alpha_n, 0.01, 0.1);
      const auto rows = measured(perf, kEverywhere, {16, 64, 256});
      const double found = fit_objective(fit(rows), rows), truth = fit_objective(perf, rows);
      QVERIFY2(found <= truth + 1e-4, golden::differ("objective", found, truth));
    }
  }

  void noisyTimesAreMetNoWorseThanByTheTruth() {
    for (const double noise : {0.01, 0.05, 0.2}) {
      const auto rows = measured(kTrue, kEverywhere, {16, 32, 64, 128, 256}, noise);
      QVERIFY(fit_objective(fit(rows), rows) <= fit_objective(kTrue, rows) + 1e-9);
    }
  }

  void oneLocalBatchSizeSplitsConstantAndLinearPartEvenly() {
    const auto rows = measured(kTrue, {{1, 1}, {1, 2}}, {64});
    const PerfParams perf = fit(rows);
    VERIFY_CLOSE("alpha_c", perf.alpha_c, accumulation_time(kTrue, 64) / 2);
    QVERIFY(std::abs(perf.beta_c * 64 / perf.alpha_c - 1) < 0.05);
  }

  // Where cores are known, a fifth is constant.
  void oneLocalBatchSizeOnKnownCoresIsNearlyAllLinear() {
    const PerfParams perf = fit(std::vector{row_on_cores(kTrue, 1, 64, 4)});
    VERIFY_CLOSE("alpha_c", perf.alpha_c, accumulation_time(kTrue, 64) / 5);
    QVERIFY(within(perf.alpha_c + 64 * perf.beta_c, accumulation_time(kTrue, 64), 0.01));
  }

  void oneReplicaTellsNothingOfLinks() {
    const PerfParams perf = fit(measured(kTrue, {{1, 1}}, {16, 64}));
    QCOMPARE(perf.alpha_r, kFloor);
    QCOMPARE(perf.beta_r, kFloor);
    QCOMPARE(perf.alpha_n, 1.1 * kFloor);
    QCOMPARE(perf.beta_n, 1.1 * kFloor);
  }

  void oneNodeMakesTheLinkBetweenNodesDearer() {
    const PerfParams perf = fit(measured(kTrue, {{1, 1}, {1, 2}, {1, 4}, {1, 8}}, {16, 64}));
    QVERIFY(perf.beta_r < perf.alpha_r);
    QCOMPARE(perf.alpha_n, 1.1 * perf.alpha_r);
    QCOMPARE(perf.beta_n, 1.1 * perf.beta_r);
  }

  void twoReplicasTellNothingOfMore() {
    const PerfParams perf = fit(measured(kTrue, {{1, 1}, {1, 2}, {2, 2}}, {16, 64}));
    QCOMPARE(perf.beta_r, kFloor);
    QCOMPARE(perf.beta_n, kFloor);
    QVERIFY(perf.alpha_r > kFloor && perf.alpha_n > kFloor);
    for (const int nodes : {1, 2})
      QVERIFY(within(step_time(perf, {nodes, 2, 64, 0}), step_time(kTrue, {nodes, 2, 64, 0}), 0.01));
  }

  void threeReplicasTellOfMore() {
    const PerfParams perf = fit(measured(kTrue, {{1, 1}, {1, 2}, {1, 3}}, {16, 64}));
    QVERIFY(perf.beta_r > kFloor);
    QVERIFY(within(step_time(perf, {1, 5, 64, 0}), step_time(kTrue, {1, 5, 64, 0}), 0.01));
  }

  void nodesAloneTellNothingOfLinksWithin() {
    const PerfParams perf = fit(measured(kTrue, {{1, 1}, {2, 4}, {4, 8}}, {16, 64}));
    QCOMPARE(perf.alpha_r, kFloor);
    QCOMPARE(perf.beta_r, kFloor);
  }

  void anyScaleOfTimeIsFitted() {
    for (const double unit : {1e-3, 1.0, 1e3}) {
      auto rows = measured(kTrue, kEverywhere, {16, 64, 256}, 0.03);
      for (ProfileRow& row : rows) {
        row.accumulation_step_time *= unit;
        row.optimizer_step_time *= unit;
      }
      const PerfParams perf = fit(rows);
      checkBounds(perf);
      QVERIFY(fit_objective(perf, rows) < 0.2);
    }
  }

  void coresAndContentionAreFoundAgain() {
    for (const auto& [exponent, overhead, contention] :
         {std::tuple{0.9, 0.02, 0.25}, {0.5, 0.0, 0.1}, {0.2, 0.1, 0.4}}) {
      PerfParams truth = kTrue;
      truth.core_exponent = exponent;
      truth.core_overhead = overhead;
      truth.contention = contention;
      const PerfParams perf = fit(rows_on_cores(truth));
      checkBounds(perf);
      QVERIFY2(within(perf.core_exponent, exponent, 0.02), qPrintable(QString::number(perf.core_exponent)));
      QVERIFY2(std::abs(perf.core_overhead - overhead) < 0.02 * std::max(overhead, 0.05),
               qPrintable(QString::number(perf.core_overhead)));
      QVERIFY2(within(perf.contention, contention, 0.02), qPrintable(QString::number(perf.contention)));
      QVERIFY(within(perf.alpha_c, truth.alpha_c, 0.02) && within(perf.beta_c, truth.beta_c, 0.02));
    }
  }

  // Cores that slow one another down, or make more than as many times as fast, neighbours that help, or cost
  // more than is believed, are met by the nearest of what there is.
  void whatCannotBeIsMetByABound_data() {
    const auto row = batchscope::testing::columns<double, double, double, double>(
        {"exponent", "contention", "p", "kappa"});
    row("more than as many times as fast", 1.3, 0.2, 1, -1);
    row("slower with more cores", -0.3, 0.2, 0, -1);
    row("faster with neighbours", 0.6, -0.2, -1, 0);
    row("six times as slow beside one", 0.6, 5, -1, kMostContention);
  }
  void whatCannotBeIsMetByABound() {
    QFETCH(const double, exponent);
    QFETCH(const double, contention);
    QFETCH(const double, p);
    QFETCH(const double, kappa);
    PerfParams truth = kTrue;
    truth.core_exponent = exponent;
    truth.contention = contention;
    const PerfParams perf = fit(rows_on_cores(truth));
    checkBounds(perf);
    QVERIFY2(p < 0 || std::abs(perf.core_exponent - p) < 1e-6,
             qPrintable(QString::number(perf.core_exponent)));
    QVERIFY2(kappa < 0 || std::abs(perf.contention - kappa) < 1e-6,
             qPrintable(QString::number(perf.contention)));
  }

  void aLoneReplicaOnAllAndOnOneOfItsCoresTellsOfTwo() {
    PerfParams truth{0.002, 40e-6, 0, 0, 1e-8, 1e-8, 1};
    truth.core_exponent = 0.95;
    std::vector<ProfileRow> rows;
    for (const std::int64_t local : {16, 64}) rows.push_back(row_on_cores(truth, 1, local, 2));
    rows.push_back(row_on_cores(truth, 1, 64, 1));
    rows.back().weight = 0.05;
    const PerfParams perf = fit(rows);
    const Devices both{2, true};
    QVERIFY(within(step_time(perf, {1, 2, 64, 0}, both), step_time(truth, {1, 2, 64, 0}, both), 0.02));
    QVERIFY(within(step_time(perf, {1, 1, 64, 0}, both), step_time(truth, {1, 1, 64, 0}, both), 0.02));
  }

  void whatIsTheSameInAllRowsIsNotFitted() {
    std::vector<ProfileRow> rows = measured(kTrue, kEverywhere, {16, 64, 256}, 0.05);
    const PerfParams unknown = fit(rows);
    QCOMPARE(unknown.core_exponent, 0.0);
    QCOMPARE(unknown.core_overhead, 0.0);
    QCOMPARE(unknown.contention, 0.0);
    for (ProfileRow& row : rows) row.cores = 3, row.neighbours = 1;
    const PerfParams same = fit(rows);
    QCOMPARE(same.core_exponent, 0.0);
    QCOMPARE(same.contention, 0.0);
    QVERIFY(within(same.beta_c, unknown.beta_c, 1e-3));
  }

  void aFirstGuessOfContentionStandsUntilRowsTell() {
    const std::vector alone{row_on_cores(kTrue, 1, 16, 4), row_on_cores(kTrue, 1, 64, 4)};
    const PerfParams guessed = fit(alone, 0.3), unknown = fit(alone);
    QCOMPARE(guessed.contention, 0.3);
    for (const int replicas : {1, 2})
      QVERIFY(within(accumulation_time(guessed, 64, 4, replicas),
                     accumulation_time(unknown, 64, 4, replicas) * (replicas == 1 ? 1 : 1.3), 1e-3));
    // Two replicas tell by what each needs what one would.
    const PerfParams of_two =
        fit(std::vector{row_on_cores(kTrue, 2, 16, 2), row_on_cores(kTrue, 2, 64, 2)}, 0.3);
    QCOMPARE(of_two.contention, 0.3);
    QVERIFY(within(accumulation_time(of_two, 64, 2, 2), accumulation_time(kTrue, 64, 2, 2), 0.01));
    PerfParams truth = kTrue;
    truth.contention = 0.25;
    QVERIFY(within(fit(rows_on_cores(truth), 1).contention, 0.25, 0.02));
    QCOMPARE(fit(alone, kMostContention).contention, kMostContention);
    QVERIFY_EXCEPTION_THROWN(fit(alone, -0.1), std::invalid_argument);
    QVERIFY_EXCEPTION_THROWN(fit(alone, kMostContention + 1), std::invalid_argument);
  }

  void oneAbsurdRowOfThreeStepsMovesNothing() {
    std::vector<ProfileRow> rows = rows_on_cores(kTrue);
    const PerfParams before = fit(rows);
    rows.push_back(row_on_cores(kTrue, 2, 128, 2));
    rows.back().accumulation_step_time *= 3;
    rows.back().optimizer_step_time *= 3;
    rows.back().weight = 3.0 / 50;
    const PerfParams after = fit(rows);
    for (const ProfileRow& row : rows_on_cores(kTrue)) {
      const Devices devices{4, false, row.cores};
      const Configuration at{1, row.num_replicas, row.local_batch_size, 0};
      QVERIFY(within(step_time(after, at, devices), step_time(before, at, devices), 0.02));
    }
  }

  // The machine was half as fast again: two thirds of the rows tell of it still, one third of now.
  void oldRowsThatNewOnesContradictLoseTheirWeight_data() {
    QTest::addColumn<double>("age");
    QTest::addColumn<double>("least");
    QTest::addColumn<double>("most");
    QTest::newRow("as new as the others") << 0.0 << 0.10 << 0.40;
    QTest::newRow("old") << 1.0 << 0.0 << 0.05;
  }
  void oldRowsThatNewOnesContradictLoseTheirWeight() {
    QFETCH(const double, age);
    QFETCH(const double, least);
    QFETCH(const double, most);
    const std::vector<ProfileRow> now = measured(kTrue, {{1, 1}, {1, 2}, {1, 4}}, {32, 128});
    std::vector<ProfileRow> rows = measured(kTrue, {{1, 1}, {1, 2}, {1, 4}}, {16, 24, 64, 96});
    for (ProfileRow& row : rows) {
      row.accumulation_step_time /= 1.5;
      row.optimizer_step_time /= 1.5;
      row.age = age;
    }
    rows.insert(rows.end(), now.begin(), now.end());
    const double error = fit_residual(fit(rows), now);
    QVERIFY2(error >= least && error <= most, qPrintable(QString::number(error)));
  }

  // A new row, and an old one of the same configuration that took 15 % longer. What is found is their mean,
  // in logarithms, by weights of 1 and, at a distance of x from the old one, 1 / (1 + (x / 10 %)^2)^2.
  void oldRowsWeighByTheirDistance() {
    const std::vector<ProfileRow> rows{{1, 1, 64, 1, 1},
                                       {1, 1, 64, std::exp(0.15), std::exp(0.15), 0, 0, 1, 1}};
    const double found = std::log(step_time(fit(rows), {1, 1, 64, 0}));
    const double weight = std::pow(1 + std::pow((0.15 - found) / 0.1, 2), -2);
    const double expected = 0.15 * weight / (1 + weight);
    QVERIFY2(std::abs(found - expected) < 1e-4, golden::differ("logarithm", found, expected));
  }

  // One that is far from the others: their mean would be at 0.1.
  void oldRowsAmongThemselvesFollowTheMost() {
    const double far = std::exp(0.3);
    const ProfileRow old{1, 1, 64, 1, 1, 0, 0, 1, 1}, other{1, 1, 64, far, far, 0, 0, 1, 1};
    QVERIFY(std::abs(std::log(step_time(fit(std::vector{old, other, old}), {1, 1, 64, 0}))) < 0.01);
  }

  // Nothing newer contradicts them.
  void oldRowsAloneKeepTheirWeight() {
    std::vector<ProfileRow> rows = measured(kTrue, kEverywhere, {16, 64, 256});
    for (ProfileRow& row : rows)
      if (row.num_replicas > 1) row.age = 1;
    for (ProfileRow& row : rows)
      QVERIFY(within(step_time(fit(rows), {row.num_nodes, row.num_replicas, row.local_batch_size, 0}),
                     row.optimizer_step_time, 0.02));
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

  void repeatsExactly() {
    const auto rows = measured(kTrue, kEverywhere, {16, 64}, 0.05);
    QCOMPARE(to_vector(fit(rows)), to_vector(fit(rows)));
  }

  void aMicroBatchOfOneSampleIsARow() { QVERIFY(fit(std::vector{ProfileRow{1, 1, 1, 1, 1}}).beta_c > 0.4); }

  void wrongRowsAreRefused() {
    const double nan = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();
    QVERIFY_EXCEPTION_THROWN(fit({}), std::invalid_argument);
    for (const ProfileRow& row :
         {ProfileRow{0, 1, 1, 1, 1}, ProfileRow{1, 0, 1, 1, 1}, ProfileRow{1, 1, 0, 1, 1},
          ProfileRow{1, 1, 1, 0, 1}, ProfileRow{1, 1, 1, 1, -1}, ProfileRow{1, 1, 1, nan, 1},
          ProfileRow{1, 1, 1, 1, inf}, ProfileRow{1, 1, 1, 1, 1, -1}, ProfileRow{1, 1, 1, 1, 1, 1, -1},
          ProfileRow{1, 1, 1, 1, 1, 1, 1, 0}, ProfileRow{1, 1, 1, 1, 1, 1, 1, nan},
          ProfileRow{1, 1, 1, 1, 1, 1, 1, 1, -0.1}, ProfileRow{1, 1, 1, 1, 1, 1, 1, 1, 1.1}}) {
      const ProfileRow good{1, 1, 1, 1, 1};
      QVERIFY_EXCEPTION_THROWN(fit(std::vector{good, row}), std::invalid_argument);
      QVERIFY_EXCEPTION_THROWN(fit(std::vector{row, good}), std::invalid_argument);
    }
  }

 private:
  static void checkBounds(const PerfParams& perf) {
    for (const double value :
         {perf.alpha_c, perf.beta_c, perf.alpha_n, perf.beta_n, perf.alpha_r, perf.beta_r}) {
      QVERIFY(value >= kFloor && std::isfinite(value));
    }
    QVERIFY(perf.gamma >= 1 && perf.gamma <= 10);
    QVERIFY(perf.core_exponent >= 0 && perf.core_exponent <= 1 && perf.contention >= 0);
  }
};

BATCHSCOPE_TEST(TestFit)
#include "test_fit.moc"
