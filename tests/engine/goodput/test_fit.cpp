// SPDX-License-Identifier: Apache-2.0
//
// The fit of the performance model: SciPy's recorded fits, parameters that are known, what a profile cannot
// tell.
#include <limits>
#include <random>

#include "fit_objective.h"
#include "golden.h"
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

PerfParams params_of(const nlohmann::json& vector) { return to_params(vector.get<ParamVector>()); }

// Rows as the true model gives them, times a log-normal noise.
std::vector<ProfileRow> measured(const PerfParams& perf, const std::vector<std::pair<int, int>>& replicas,
                                 const std::vector<std::int64_t>& local_batch_sizes, double noise = 0) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> error(0, noise);
  std::vector<ProfileRow> rows;
  for (const auto& [nodes, count] : replicas) {
    for (const std::int64_t local : local_batch_sizes) {
      rows.push_back({nodes, count, local,
                      accumulation_time(perf, local) * std::exp(noise > 0 ? error(random) : 0),
                      step_time(perf, {nodes, count, local, 0}) * std::exp(noise > 0 ? error(random) : 0)});
    }
  }
  return rows;
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
      objective(profile.at("scipy").at("x0").get<ParamVector>(), 0, &slope);
      for (std::size_t i = 0; i < slope.size(); ++i) {
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

  void repeatsExactly() {
    const auto rows = measured(kTrue, kEverywhere, {16, 64}, 0.05);
    QCOMPARE(to_vector(fit(rows)), to_vector(fit(rows)));
  }

  void wrongRowsAreRefused() {
    const double nan = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();
    QVERIFY_EXCEPTION_THROWN(fit({}), std::invalid_argument);
    for (const ProfileRow& row :
         {ProfileRow{0, 1, 1, 1, 1}, ProfileRow{1, 0, 1, 1, 1}, ProfileRow{1, 1, 0, 1, 1},
          ProfileRow{1, 1, 1, 0, 1}, ProfileRow{1, 1, 1, 1, -1}, ProfileRow{1, 1, 1, nan, 1},
          ProfileRow{1, 1, 1, 1, inf}}) {
      QVERIFY_EXCEPTION_THROWN(fit(std::vector{ProfileRow{1, 1, 1, 1, 1}, row}), std::invalid_argument);
    }
  }

 private:
  static void checkBounds(const PerfParams& perf) {
    for (const double value :
         {perf.alpha_c, perf.beta_c, perf.alpha_n, perf.beta_n, perf.alpha_r, perf.beta_r}) {
      QVERIFY(value >= kFloor && std::isfinite(value));
    }
    QVERIFY(perf.gamma >= 1 && perf.gamma <= 10);
  }
};

BATCHSCOPE_TEST(TestFit)
#include "test_fit.moc"
