// SPDX-License-Identifier: Apache-2.0
//
// The choice of a number of replicas: what it weighs, and, over random models, what it never does.
#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "batchscope/goodput.h"
#include "rows.h"
#include "test_case.h"

using namespace batchscope::goodput;
using batchscope::testing::columns;

namespace {

struct Model {
  PerfParams perf;
  GradParams grad;
  Bounds bounds{8192, 8, 256, true};

  BestGoodput best() const {
    return [goodput = GoodputFunction(perf, grad, 64), bounds = bounds](int replicas) {
      return goodput.optimize(1, replicas, bounds).goodput;
    };
  }
};

// Nearly perfect scaling, noisy gradients.
const Model kScales{{0.01, 0.001, 0.002, 0, 0.001, 0, 2}, {1e-4, 1}};
// Synchronisation costs more than a second replica brings.
const Model kDoesNot{{0.01, 0.0001, 0.5, 0.1, 0.5, 0.1, 1}, {1, 1e-6}, {8192, 8, 256, false}};
// Every further replica brings less than the one before.
const Model kWearsOff{{0.01, 0.001, 0.02, 0.01, 0.02, 0.01, 1}, {1e-4, 1}, {8192, 8, 64, false}};

Model random_model(std::mt19937& random) {
  const auto power = [&](double low, double high) {
    return std::pow(10, std::uniform_real_distribution(low, high)(random));
  };
  Model model;
  model.perf = {power(-4, -1),
                power(-6, -2),
                power(-4, 0),
                power(-5, -1),
                power(-4, 0),
                power(-5, -1),
                std::uniform_real_distribution(1.0, 10.0)(random)};
  model.grad = {power(-5, 0), power(-3, 2)};
  return model;
}

Model shaken(const Model& model, double sigma, std::mt19937& random) {
  std::normal_distribution<double> normal(0, sigma);
  Model noisy = model;
  for (double* parameter :
       {&noisy.perf.alpha_c, &noisy.perf.beta_c, &noisy.perf.alpha_r, &noisy.perf.beta_r, &noisy.grad.var})
    *parameter *= std::exp(normal(random));
  return noisy;
}

// So many samples/s on 1, 2, .. replicas.
BestGoodput known(const std::vector<double>& goodputs) {
  return [goodputs](int replicas) { return goodputs.at(static_cast<std::size_t>(replicas - 1)); };
}

// A run that does as the chooser says.
struct Run {
  ReplicaChooser chooser;
  RunContext at;
  int moves = 0;

  explicit Run(const ChooserLimits& limits, int replicas = 1)
      : chooser(limits), at{replicas, replicas, 0.1, -1} {}

  ReplicaDecision see(const Model& model) {
    const ReplicaDecision decision = chooser.decide(model.best(), at);
    moves += decision.replicas != at.replicas;
    at.replicas = decision.replicas;
    at.max_profiled_replicas = std::max(at.max_profiled_replicas, at.replicas);
    return decision;
  }
  void see(const Model& model, int times) {
    while (times-- > 0) see(model);
  }
};

}  // namespace

class TestReplicaChooser : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void growsWhereItPaysAndStepByStep() {
    Run run({1, 8});
    const ReplicaDecision decision = run.see(kScales);
    QCOMPARE(decision.missing, 0);
    QCOMPARE(decision.replicas, 2);  // twice what was profiled, although 8 are promised more
    QCOMPARE(decision.cap, 2);
    QCOMPARE(decision.candidates.size(), std::size_t{2});
    QCOMPARE(decision.pause, 0.1);
    QCOMPARE(decision.horizon, 300.0);
    run.see(kScales);
    QCOMPARE(run.at.replicas, 4);
    run.see(kScales);
    QCOMPARE(run.at.replicas, 8);
    run.see(kScales, 100);
    QCOMPARE(run.moves, 3);
  }

  void staysOnOneWhereMoreIsSlower() {
    Run run({1, 8});
    run.see(kDoesNot, 100);
    QCOMPARE(run.moves, 0);
  }

  void goesBackFromWhatDoesNotPay() {
    Run run({1, 8}, 8);
    run.see(kDoesNot, 100);
    QCOMPARE(run.at.replicas, 1);
    QCOMPARE(run.moves, 1);
  }

  void keepsTheEfficiencyFloor() {
    const auto speedup_each = [best = kWearsOff.best()](int n) { return best(n) / best(1) / n; };
    const double floor = (speedup_each(4) + speedup_each(5)) / 2;
    Run grows({1, 8, floor});
    grows.see(kWearsOff, 100);
    QCOMPARE(grows.at.replicas, 4);  // more would learn faster
    Run shrinks({1, 8, floor}, 8);
    shrinks.see(kWearsOff, 100);
    QCOMPARE(shrinks.at.replicas, 4);
    Run free({1, 8, 0}, 4);
    free.see(kWearsOff, 100);
    QCOMPARE(free.at.replicas, 8);
  }

  void aPauseThatIsNotPaidBackIsNotMade() {
    Run run({1, 2, 0.5, 100});
    run.at.pause = 80;
    run.see(kScales, 10);
    QCOMPARE(run.at.replicas, 1);
    run.at.pause = 1;
    run.at.remaining = 0.5;  // the run is nearly over
    run.see(kScales, 10);
    QCOMPARE(run.at.replicas, 1);
    run.at.remaining = 1000;
    run.see(kScales, 3);
    QCOMPARE(run.at.replicas, 2);
  }

  // A move to twice the goodput pays while 200 (1 - pause / horizon) > 1.05 * 100.
  void aPauseIsPaidBackWithinTheHorizon_data() {
    const auto row = columns<double, double, int>({"pause", "remaining", "replicas"});
    row("nearly half of the horizon", 47, -1, 2);
    row("half of it", 48, -1, 1);
    row("all of it", 100, -1, 1);
    row("more than it", 300, -1, 1);
    row("of a run that ends later", 47, 200, 2);
    row("of a run that ends sooner", 23.5, 50, 2);
    row("of a run that ends too soon", 24, 50, 1);
    row("of a run that ends within a second", 0.1, 0.5, 2);
    row("of a run that has ended", 0, 0, 1);
    row("none", 0, -1, 2);
    row("less than none", -300, -1, 2);
  }
  void aPauseIsPaidBackWithinTheHorizon() {
    QFETCH(const double, pause);
    QFETCH(const double, remaining);
    ReplicaChooser chooser({1, 2, 0.5, 100});
    const RunContext at{1, 1, pause, remaining};
    for (int i = 0; i < 2; ++i) chooser.decide(known({100, 200}), at);
    const ReplicaDecision decision = chooser.decide(known({100, 200}), at);
    QTEST(decision.replicas, "replicas");
    QCOMPARE(decision.pause, std::max(pause, 0.0));
    QCOMPARE(decision.horizon, remaining < 0 ? 100 : std::min(remaining, 100.0));
  }

  void aCountThatReachesTheFloorIsAllowed() {
    ReplicaChooser chooser({1, 2, 0.8});
    int replicas = 1;
    for (int i = 0; i < 3; ++i) replicas = chooser.decide(known({100, 160}), {replicas, 2, 0, -1}).replicas;
    QCOMPARE(replicas, 2);
  }

  void slowModelsAreWeighedAsFastOnes() {
    ReplicaChooser chooser({1, 2, 0});
    int replicas = 1;
    for (int i = 0; i < 3; ++i) replicas = chooser.decide(known({0.1, 0.2}), {replicas, 2, 0, -1}).replicas;
    QCOMPARE(replicas, 2);
  }

  // A count below 0.95 of the floor is left although fewer replicas learn more slowly.
  void leavesWhatWastesDevices_data() {
    const auto row = columns<double, double, int>({"goodputOfTwo", "remaining", "replicas"});
    row("well below the floor", 151, -1, 1);
    row("a little below it", 153, -1, 2);
    row("0.95 of it", 152, -1, 2);
    row("above it", 161, -1, 2);
    row("but has nothing left to do", 151, 0, 2);
  }
  void leavesWhatWastesDevices() {
    QFETCH(const double, goodputOfTwo);
    QFETCH(const double, remaining);
    ReplicaChooser chooser({1, 2, 0.8});
    int replicas = 2;
    for (int i = 0; i < 3; ++i)
      replicas = chooser.decide(known({100, goodputOfTwo}), {replicas, 2, 0, remaining}).replicas;
    QTEST(replicas, "replicas");
  }

  // Where none within the limits reaches the floor, the smallest one is best.
  void takesTheSmallestWhereAllWaste() {
    ReplicaChooser chooser({2, 4});
    int replicas = 4;
    for (int i = 0; i < 3; ++i)
      replicas = chooser.decide(known({100, 70, 80, 90}), {replicas, 4, 0, -1}).replicas;
    QCOMPARE(replicas, 2);
  }

  void tellsOfAllWithinTheLimits_data() {
    const auto row = columns<ChooserLimits, int, std::vector<double>, std::vector<int>, std::vector<double>>(
        {"limits", "present", "goodputs", "replicas", "efficiencies"});
    row("all", {1, 4}, 1, {100, 180, 240, 280}, {1, 2, 3, 4}, {1, 0.9, 0.8, 0.7});
    row("some", {3, 4}, 3, {100, 180, 240, 280}, {3, 4}, {0.8, 0.7});
    row("and the present one", {3, 4}, 1, {100, 180, 240, 280}, {1, 3, 4}, {1, 0.8, 0.7});
    row("one is not feasible", {1, 3}, 2, {0, 180, 216}, {1, 2, 3}, {0, 1, 0.8});
    row("one is neither feasible nor allowed", {2, 3}, 2, {0, 180, 216}, {2, 3}, {1, 0.8});
    row("none is feasible", {1, 2}, 1, {0, 0}, {1, 2}, {0, 0});
    row("slow ones", {3, 4}, 3, {0.1, 0.18, 0.24, 0.28}, {3, 4}, {0.8, 0.7});
  }
  void tellsOfAllWithinTheLimits() {
    QFETCH(const ChooserLimits, limits);
    QFETCH(const int, present);
    QFETCH(const std::vector<double>, goodputs);
    QFETCH(const std::vector<int>, replicas);
    QFETCH(const std::vector<double>, efficiencies);
    const ReplicaDecision decision = ReplicaChooser(limits).decide(known(goodputs), {present, 4, 0, -1});
    QCOMPARE(decision.candidates.size(), replicas.size());
    for (std::size_t i = 0; i < replicas.size(); ++i) {
      const Candidate& candidate = decision.candidates[i];
      QCOMPARE(candidate.replicas, replicas[i]);
      QCOMPARE(candidate.goodput, goodputs[static_cast<std::size_t>(replicas[i] - 1)]);
      QVERIFY(std::abs(candidate.efficiency - efficiencies[i]) < 1e-12);
    }
  }

  // Each move back against the one before doubles the margin: 5 %, 10 %, 20 %.
  void theMarginDoublesWithEachMoveBack() {
    ReplicaChooser chooser({1, 2, 0});
    int replicas = 1;
    const auto after = [&](double one, double two) {
      for (int i = 0; i < 5; ++i) replicas = chooser.decide(known({one, two}), {replicas, 2, 0, -1}).replicas;
      return replicas;
    };
    QCOMPARE(after(100, 105), 1);
    QCOMPARE(after(100, 106), 2);
    QCOMPARE(after(104, 100), 2);
    QCOMPARE(after(106, 100), 1);
    QCOMPARE(after(100, 109), 1);
    QCOMPARE(after(100, 111), 2);
    QCOMPARE(after(119, 100), 2);
    QCOMPARE(after(121, 100), 1);
  }

  void threeModelsInARowMustAgree() {
    const BestGoodput up = known({100, 120, 99}), down = known({120, 100, 99}),
                      neither = known({100, 100, 99});
    ReplicaChooser chooser({1, 3, 0});
    const auto decided = [&](const std::vector<BestGoodput>& models, int present) {
      int replicas = present;
      for (const BestGoodput& model : models) replicas = chooser.decide(model, {present, 3, 0, -1}).replicas;
      return replicas;
    };
    QCOMPARE(decided({up}, 1), 1);
    QCOMPARE(chooser.decide(up, {1, 3, 0, -1}).missing, 1);
    QCOMPARE(decided({neither, up, up}, 1), 1);
    QCOMPARE(decided({up}, 1), 2);
    QCOMPARE(decided({up, up}, 3), 3);  // two for fewer replicas
    QCOMPARE(decided({down}, 2), 1);    // and the third
  }

  // Six margins: 30 %, and after a move back 60 %.
  void oneModelIsEnoughWhereItPromisesMuch() {
    ReplicaChooser chooser({1, 2, 0});
    int replicas = 1;
    const auto after = [&](double one, double two) {
      return replicas = chooser.decide(known({one, two}), {replicas, 2, 0, -1}).replicas;
    };
    QCOMPARE(after(100, 129), 1);
    QCOMPARE(after(100, 131), 2);
    QCOMPARE(after(131, 100), 1);
    QCOMPARE(after(100, 159), 1);
    QCOMPARE(after(100, 161), 2);
    const RunContext at_stake{1, 1, 0, -1, false};
    QCOMPARE(ReplicaChooser({1, 2, 0}).decide(known({100, 131}), at_stake).missing, 2);
  }

  void comesIntoItsLimitsAtOnce() {
    Run few({3, 4});
    few.see(kScales);
    QVERIFY(few.at.replicas >= 3 && few.at.replicas <= 4);
    Run many({1, 2}, 8);
    many.see(kScales);
    QCOMPARE(many.at.replicas, 2);
  }

  void whatFailedIsNotTriedUntilItIsAllowed() {
    Run run({1, 2});
    run.chooser.refuse(2);
    run.see(kScales, 100);
    QCOMPARE(run.moves, 0);
    run.chooser.allow(2);
    run.see(kScales, 100);
    QCOMPARE(run.at.replicas, 2);
  }

  void theMostMayChange() {
    Run run({1, 2});
    run.see(kScales, 100);
    QCOMPARE(run.at.replicas, 2);
    run.chooser.set_max_replicas(4);
    run.see(kScales, 100);
    QCOMPARE(run.at.replicas, 4);
    run.chooser.set_max_replicas(0);
    QCOMPARE(run.chooser.limits().max_replicas, 1);
    run.see(kScales);
    QCOMPARE(run.at.replicas, 1);
  }

  // A run with too many takes the fewest of those that are as good.
  void ofEqualCountsTheFewestAreTaken() {
    ReplicaChooser chooser({1, 3});
    QCOMPARE(chooser.decide(known({5, 8, 8, 9}), {4, 4, 0.1, -1}).replicas, 2);
  }

  void aModelThatKnowsNothingMovesNothing() {
    Run run({1, 8}, 2);
    run.see({{}, {}, {8, 64, 64, false}}, 10);
    QCOMPARE(run.moves, 0);
  }

  void followsATrend() {
    Run run({1, 8});
    Model model = kScales;
    model.grad = {1, 1e-6};  // hardly any noise: larger batches teach nothing
    model.bounds = {8192, 64, 256, true};
    run.see(model, 20);
    QCOMPARE(run.at.replicas, 1);
    model.grad = kScales.grad;
    run.see(model, 20);
    QCOMPARE(run.at.replicas, 8);
  }

  void nonsensicalLimitsAreRefused() {
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, ReplicaChooser({0, 2}));
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, ReplicaChooser({3, 2}));
  }

  // The limits hold whatever the models say.
  void neverLeavesItsLimitsOrItsCap() {
    std::mt19937 random(1);
    for (int trial = 0; trial < 200; ++trial) {
      const int low = std::uniform_int_distribution(1, 4)(random);
      const int high = std::uniform_int_distribution(low, 16)(random);
      Run run({low, high}, std::uniform_int_distribution(low, high)(random));
      for (int i = 0; i < 20; ++i) {
        const RunContext before = run.at;
        const ReplicaDecision decision = run.see(random_model(random));
        QVERIFY(decision.replicas >= low && decision.replicas <= high);
        if (decision.replicas == before.replicas) continue;
        QVERIFY(decision.replicas <= std::max(low, 2 * before.max_profiled_replicas));
        QVERIFY(decision.replicas <= decision.cap);
      }
    }
  }

  // A model that stays as it is: upwards to the best count, or down to it, and no further move.
  void doesNotFlapUnderAFixedModel() {
    std::mt19937 random(2);
    for (int trial = 0; trial < 200; ++trial) {
      const Model model = random_model(random);
      Run run({1, 16}, std::uniform_int_distribution(1, 16)(random));
      run.see(model, 30);
      QVERIFY(run.moves <= 5);
      const int settled = run.moves;
      run.see(model, 60);
      QCOMPARE(run.moves, settled);
    }
  }

  void settlesUnderNoisyModels() {
    std::mt19937 random(3);
    for (int trial = 0; trial < 40; ++trial) {
      const Model model = random_model(random);
      Run run({1, 8}, std::uniform_int_distribution(1, 8)(random));
      for (int i = 0; i < 1000; ++i) run.see(shaken(model, 0.15, random));
      QVERIFY2(run.moves <= 16, std::to_string(run.moves).c_str());
      const int settled = run.moves;
      for (int i = 0; i < 500; ++i) run.see(shaken(model, 0.15, random));
      QVERIFY2(run.moves - settled <= 1, std::to_string(run.moves - settled).c_str());
    }
  }
};

BATCHSCOPE_TEST(TestReplicaChooser)
#include "test_replica_chooser.moc"
