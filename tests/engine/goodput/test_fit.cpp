// SPDX-License-Identifier: Apache-2.0
//
// The fit of the performance model: SciPy's recorded fits, parameters that are known, what a profile cannot
// tell.
#include <functional>
#include <limits>
#include <random>

#include "fit_rows.h"
#include "rows.h"
#include "test_case.h"

using namespace batchscope::goodput;
using batchscope::testing::columns;
namespace golden = batchscope::golden;

class TestFit : public QObject {
  Q_OBJECT

 private Q_SLOTS:
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
    const auto part = std::bind_front(drawn_part, std::ref(random));
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

  // A second core brings larger micro-batches as much as this one, or it costs each of them as much.
  void oneLocalBatchSizeTellsEitherWhatCoresBringOrWhatTheyCost_data() {
    const auto row = columns<double, double>({"on_two", "eightfold_on_two"});
    row("a tenth faster", 0.36, 0.36 / 0.40);
    row("a tenth slower", 0.44, 1 + 0.04 / (0.40 / 5 + 8 * 0.40 * 4 / 5));
  }
  void oneLocalBatchSizeTellsEitherWhatCoresBringOrWhatTheyCost() {
    QFETCH(const double, on_two);
    QFETCH(const double, eightfold_on_two);
    const PerfParams perf =
        fit(std::vector<ProfileRow>{{1, 1, 128, 0.40, 0.40, 1, 1}, {1, 1, 128, on_two, on_two, 2, 1}});
    QVERIFY(perf.core_exponent == 0 || perf.core_overhead == 0);
    QVERIFY(within(accumulation_time(perf, 128, 1), 0.40, 0.01));
    QVERIFY(within(accumulation_time(perf, 128, 2), on_two, 0.01));
    QVERIFY(
        within(accumulation_time(perf, 1024, 2) / accumulation_time(perf, 1024, 1), eightfold_on_two, 0.03));
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
    const PerfParams guessed = fit(alone, {.contention = 0.3}), unknown = fit(alone);
    QCOMPARE(guessed.contention, 0.3);
    for (const int replicas : {1, 2})
      QVERIFY(within(accumulation_time(guessed, 64, 4, replicas),
                     accumulation_time(unknown, 64, 4, replicas) * (replicas == 1 ? 1 : 1.3), 1e-3));
    // Two replicas tell by what each needs what one would.
    const PerfParams of_two =
        fit(std::vector{row_on_cores(kTrue, 2, 16, 2), row_on_cores(kTrue, 2, 64, 2)}, {.contention = 0.3});
    QCOMPARE(of_two.contention, 0.3);
    QVERIFY(within(accumulation_time(of_two, 64, 2, 2), accumulation_time(kTrue, 64, 2, 2), 0.01));
    PerfParams truth = kTrue;
    truth.contention = 0.25;
    QVERIFY(within(fit(rows_on_cores(truth), {.contention = 1}).contention, 0.25, 0.02));
    QCOMPARE(fit(alone, {.contention = kMostContention}).contention, kMostContention);
    for (const double wrong : {-0.1, kMostContention + 1})
      QVERIFY_EXCEPTION_THROWN(fit(alone, {.contention = wrong}), std::invalid_argument);
  }

  void aFirstGuessOfSynchronisationStandsUntilRowsTell() {
    const auto alone = measured(kTrue, {{1, 1}}, {16, 64});
    const PerfParams guessed = fit(alone, {.sync = 0.005}), unknown = fit(alone);
    QCOMPARE(guessed.alpha_r, 0.005);
    QCOMPARE(guessed.alpha_n, 1.1 * 0.005);
    for (const std::int64_t local : {16, 64, 256}) {
      const double lone = step_time(guessed, {1, 1, local, 0});
      QVERIFY(within(lone, step_time(unknown, {1, 1, local, 0}), 1e-6));
      QVERIFY(within(step_time(guessed, {1, 2, local, 0}), lone + 0.005, 1e-6));
    }
    const auto both = measured(kTrue, {{1, 1}, {1, 2}}, {16, 64});
    QCOMPARE(fit(both, {.sync = 0.5}).alpha_r, fit(both).alpha_r);
    for (const double wrong : {-0.001, double(INFINITY), double(NAN)})
      QVERIFY_EXCEPTION_THROWN(fit(alone, {.sync = wrong}), std::invalid_argument);
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
