// SPDX-License-Identifier: Apache-2.0
//
// The search for the best batch size: golden vectors case by case, brute force, and bounds under random
// models.
#include <limits>
#include <random>

#include "golden.h"
#include "test_case.h"

using namespace batchscope::goodput;
namespace golden = batchscope::golden;

namespace {

std::int64_t batch_size(int replicas, const Choice& choice) {
  return replicas * choice.local_batch_size * (choice.accumulation_steps + std::int64_t{1});
}

Bounds bounds_of(const nlohmann::json& call) {
  Bounds bounds;
  const auto number = [](const nlohmann::json& json) {
    return json.is_null() ? 0 : json.get<std::int64_t>();
  };
  bounds.max_batch_size = number(call.at("max_batch_size"));
  const auto& range = call.at("atomic_bsz_range");
  if (!range.is_null()) {
    bounds.min_local = number(range.at(0));
    bounds.max_local = number(range.at(1));
  }
  bounds.accumulation = call.at("accumulation");
  return bounds;
}

// Small ones can be searched through.
struct Problem {
  PerfParams perf;
  GradParams grad;
  std::int64_t init_batch_size;
  int nodes, replicas;
  Bounds bounds;

  Problem(const PerfParams& the_perf, const GradParams& the_grad, std::int64_t init, const Bounds& the_bounds,
          int the_nodes, int the_replicas)
      : perf(the_perf),
        grad(the_grad),
        init_batch_size(init),
        nodes(the_nodes),
        replicas(the_replicas),
        bounds(the_bounds) {}

  Problem(std::mt19937_64& random, double largest_growth) {
    const auto uniform = [&](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(random);
    };
    const auto decades = [&](double low, double high) {
      return std::exp(uniform(std::log(low), std::log(high)));
    };
    perf = {decades(1e-8, 1), decades(1e-8, 0.1), decades(1e-8, 1), decades(1e-8, 0.1),
            decades(1e-8, 1), decades(1e-8, 0.1), uniform(1, 10)};
    grad = {random() % 17 ? decades(1e-8, 10) : 0, random() % 19 ? decades(1e-8, 10) : 0};
    init_batch_size = static_cast<std::int64_t>(decades(1, 200));
    replicas = static_cast<int>(decades(1, 33));
    nodes = static_cast<int>(uniform(1, replicas + 1));
    bounds.max_batch_size =
        static_cast<std::int64_t>(static_cast<double>(init_batch_size) * decades(0.5, largest_growth));
    if (random() % 3) bounds.max_local = static_cast<std::int64_t>(decades(1, 100));
    if (random() % 4 == 0) bounds.min_local = static_cast<std::int64_t>(decades(1, 20));
    bounds.accumulation = random() % 2;
    bounds.single_gradient = random() % 4 == 0;
  }

  GoodputFunction goodput() const { return {perf, grad, init_batch_size}; }
  std::int64_t ceiling() const { return bounds.max_batch_size > 0 ? bounds.max_batch_size : init_batch_size; }

  bool allows(std::int64_t local, int steps) const {
    const std::int64_t batch = replicas * local * (steps + 1);
    return local >= std::max<std::int64_t>(bounds.min_local, 1) && batch <= ceiling() &&
           (bounds.max_local == 0 || local <= bounds.max_local) && (steps == 0 || bounds.accumulation) &&
           (replicas > 1 || steps > 0 || batch <= most_of_a_single_gradient());
  }
  std::int64_t most_of_a_single_gradient() const {
    if (bounds.single_gradient) return ceiling();
    return bounds.accumulation ? init_batch_size : std::max(init_batch_size, bounds.min_local);
  }

  // The best configuration at or above the initial batch size; below it where there is none.
  double brute_force() const {
    double best = 0, best_below = 0;
    for (std::int64_t local = 1; replicas * local <= ceiling(); ++local) {
      for (int steps = 0; replicas * local * (steps + 1) <= ceiling(); ++steps) {
        if (!allows(local, steps)) continue;
        double& entry = replicas * local * (steps + 1) >= init_batch_size ? best : best_below;
        entry = std::max(entry, goodput().evaluate({nodes, replicas, local, steps}));
      }
    }
    return best > 0 ? best : best_below;
  }
};

}  // namespace

class TestOptimize : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void goldenOptima() {
    const auto vectors = golden::load("goodput.json");
    int kept = 0;
    for (const auto& item : vectors.at("cases")) {
      const PerfParams perf = golden::perf_params(item.at("perf_params"));
      const GradParams grad{item.at("grad_params").at("sqr"), item.at("grad_params").at("var")};
      const std::int64_t init = item.at("init_batch_size");
      const GoodputFunction goodput(perf, grad, init);
      for (const auto& call : item.at("optimize")) {
        const int nodes = call.at("num_nodes"), replicas = call.at("num_replicas");
        const Bounds bounds = bounds_of(call);
        const Choice choice = goodput.optimize(nodes, replicas, bounds);
        checkWithin(bounds, init, replicas, choice, call.dump());
        if (QTest::currentTestFailed()) return;
        if (!call.at("raises").is_null()) {
          // AdaptDL asserts: a clamped candidate falls below the initial batch size. Here: the best there is.
          const double best = Problem(perf, grad, init, bounds, nodes, replicas).brute_force();
          VERIFY_CLOSE(call.dump(), choice.goodput, best);
          QVERIFY2(choice.goodput > 0, call.dump().c_str());
          continue;
        }
        checkNoWorse(goodput, nodes, replicas, bounds, init, choice, call.at("goodput"),
                     call.at("atomic_bsz"), call.at("accum_steps"), call.dump());
        if (QTest::currentTestFailed()) return;
        if (!ruleDecides(replicas, bounds, init, call.at("atomic_bsz"))) continue;
        QVERIFY2(isConfiguration(choice, call.at("atomic_bsz"), call.at("accum_steps")), call.dump().c_str());
        ++kept;
      }
    }
    QVERIFY(kept >= 10);
  }

  void goldenVectors() {
    const auto vectors = golden::load("goodput.json").at("vectorised");
    const std::vector<double> p = vectors.at("perf_params"), g = vectors.at("grad_params");
    const std::int64_t init = vectors.at("init_batch_size");
    const PerfParams perf{p[0], p[1], p[2], p[3], p[4], p[5], p[6]};
    const GradParams grad{g[0], g[1]};
    const GoodputFunction goodput(perf, grad, init);
    std::vector<int> nodes, replicas;
    for (const auto& call : vectors.at("calls")) {
      if (call.contains("num_nodes")) {  // where AdaptDL raised, those of the call before
        nodes = call.at("num_nodes").get<std::vector<int>>();
        replicas = call.at("num_replicas").get<std::vector<int>>();
      }
      const Bounds bounds = bounds_of(call);
      const std::vector<Choice> choices = goodput.optimize(nodes, replicas, bounds);
      QCOMPARE(choices.size(), replicas.size());
      for (std::size_t i = 0; i < choices.size(); ++i) {
        const std::string what = call.dump() + " element " + std::to_string(i);
        checkWithin(bounds, init, replicas[i], choices[i], what);
        QCOMPARE(choices[i].goodput, goodput.optimize(nodes[i], replicas[i], bounds).goodput);
        if (call.contains("goodput")) {
          checkNoWorse(goodput, nodes[i], replicas[i], bounds, init, choices[i], call.at("goodput").at(i),
                       call.at("atomic_bsz").at(i), call.at("accum_steps").at(i), what);
          const std::int64_t local = call.at("atomic_bsz").at(i);
          if (ruleDecides(replicas[i], bounds, init, local))
            QVERIFY2(isConfiguration(choices[i], local, call.at("accum_steps").at(i)), what.c_str());
        } else {  // AdaptDL asserts, for all of them where a single one has no answer
          const double best = Problem(perf, grad, init, bounds, nodes[i], replicas[i]).brute_force();
          VERIFY_CLOSE(what, choices[i].goodput, best);
        }
        if (QTest::currentTestFailed()) return;
      }
    }
  }

  void bruteForceFindsNothingBetter() {
    std::mt19937_64 random(3);
    for (int trial = 0; trial < 3'000; ++trial) {
      const Problem problem(random, 20);
      if (problem.bounds.accumulation && problem.ceiling() / problem.replicas > 32) continue;
      const double best = problem.brute_force();
      const Choice choice = problem.goodput().optimize(problem.nodes, problem.replicas, problem.bounds);
      QVERIFY2(golden::close(choice.goodput, best), golden::differ(describe(problem), choice.goodput, best));
    }
  }

  // The largest share of which each number of steps is tried.
  void bruteForceFindsNothingBetterInAShareOf32() {
    std::mt19937_64 random(32);
    for (int trial = 0; trial < 300; ++trial) {
      Problem problem(random, 20);
      problem.bounds.accumulation = true;
      problem.bounds.max_batch_size = 32 * problem.replicas;
      problem.init_batch_size = std::min(problem.init_batch_size, problem.bounds.max_batch_size);
      const double best = problem.brute_force();
      const Choice choice = problem.goodput().optimize(problem.nodes, problem.replicas, problem.bounds);
      QVERIFY2(golden::close(choice.goodput, best), golden::differ(describe(problem), choice.goodput, best));
    }
  }

  // In large shares two numbers of steps are looked at. That a batch is a whole number of micro-batches
  // leaves at most a part in the larger one of micro-batch and steps to others, and little on average.
  void bruteForceFindsLittleBetterInLargeShares() {
    std::mt19937_64 random(17);
    double lost = 0;
    int tried = 0;
    while (tried < 1'000) {
      Problem problem(random, 20);
      problem.bounds.accumulation = true;
      problem.bounds.max_local = 1 + static_cast<std::int64_t>(random() % 100);
      const std::int64_t share = problem.ceiling() / problem.replicas;
      if (share <= 32 || share > 300) continue;
      ++tried;
      const double best = problem.brute_force();
      const Choice choice = problem.goodput().optimize(problem.nodes, problem.replicas, problem.bounds);
      const auto parts =
          static_cast<double>(std::max<std::int64_t>(choice.local_batch_size, choice.accumulation_steps + 1));
      QVERIFY2(choice.goodput >= best * (1 - 1 / parts),
               golden::differ(describe(problem), choice.goodput, best));
      if (best > 0) lost += 1 - choice.goodput / best;
    }
    QVERIFY2(lost / tried < 1e-3, std::to_string(lost / tried).c_str());
  }

  // Small batches are fastest on one core, large ones on all: goodput has a peak on each number of them.
  void theFastestCoresAreFoundWithTheBatchSize() {
    PerfParams perf{0.002, 1e-4, 0, 0, 1e-3, 1e-4, 1.5};
    perf.core_exponent = 1;
    for (const double overhead : {0.0, 1e-3, 3e-3, 1e-2, 1.0})
      for (const double var : {10.0, 100.0, 1000.0}) {
        perf.core_overhead = overhead;
        const GoodputFunction here(perf, {1, var}, 32, {16, true, 1, true});
        const Bounds bounds{1024, 1, 0, true, true};
        double most = 0;
        for (int steps = 0; steps < 8; ++steps)
          for (std::int64_t local = 1; local * (steps + 1) <= 1024; ++local)
            if (local * (steps + 1) >= 32) most = std::max(most, here.evaluate({1, 1, local, steps}));
        const Choice choice = here.optimize(1, 1, bounds);
        VERIFY_CLOSE("goodput", choice.goodput, most);
        VERIFY_CLOSE("its own", here.evaluate({1, 1, choice.local_batch_size, choice.accumulation_steps}),
                     most);
      }
  }

  void manyCountsComeToWhatEachDoesByItself() {
    std::mt19937_64 random(11);
    for (int trial = 0; trial < 500; ++trial) {
      const Problem problem(random, 1e4);
      const GoodputFunction goodput = problem.goodput();
      std::vector<int> replicas(24), nodes(24);
      for (int& count : replicas) count = 1 + static_cast<int>(random() % 40);  // in no order
      for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = (replicas[i] + 3) / 4;
      const std::vector<Choice> choices = goodput.optimize(nodes, replicas, problem.bounds);
      for (std::size_t i = 0; i < choices.size(); ++i) {
        const double alone = goodput.optimize(nodes[i], replicas[i], problem.bounds).goodput;
        QVERIFY2(golden::close(choices[i].goodput, alone),
                 golden::differ(describe(problem), choices[i].goodput, alone));
      }
    }
  }

  void staysWithinBoundsAndBeatsRandomChoices() {
    std::mt19937_64 random(5);
    for (int trial = 0; trial < 5'000; ++trial) {
      const Problem problem(random, 1e4);
      const GoodputFunction goodput = problem.goodput();
      const Choice choice = goodput.optimize(problem.nodes, problem.replicas, problem.bounds);
      checkWithin(problem.bounds, problem.init_batch_size, problem.replicas, choice, describe(problem));
      if (QTest::currentTestFailed()) return;
      if (choice.goodput == 0) continue;
      QVERIFY2(problem.allows(choice.local_batch_size, choice.accumulation_steps), describe(problem).c_str());
      if (problem.bounds.accumulation || batch_size(problem.replicas, choice) < problem.init_batch_size)
        continue;
      for (int other = 0; other < 20; ++other) {
        const std::int64_t local = 1 + static_cast<std::int64_t>(random() % 1000);
        if (!problem.allows(local, 0) || problem.replicas * local < problem.init_batch_size) continue;
        QVERIFY(choice.goodput >=
                goodput.evaluate({problem.nodes, problem.replicas, local, 0}) * (1 - 1e-12));
      }
    }
  }

  // AdaptDL's own candidates: 50 batch sizes spaced geometrically, split into the fewest micro-batches.
  void accumulationIsNoWorseThanAGrid() {
    std::mt19937_64 random(7);
    for (int trial = 0; trial < 3'000; ++trial) {
      Problem problem(random, 1e3);
      problem.bounds.accumulation = true;
      const GoodputFunction goodput = problem.goodput();
      const Choice choice = goodput.optimize(problem.nodes, problem.replicas, problem.bounds);
      if (batch_size(problem.replicas, choice) < problem.init_batch_size) continue;
      const auto low = static_cast<double>(problem.init_batch_size),
                 high = static_cast<double>(problem.ceiling());
      const std::int64_t max_local =
          problem.bounds.max_local > 0 ? problem.bounds.max_local : problem.ceiling();
      for (int point = 0; point < 50; ++point) {
        const double share = low * std::pow(high / low, point / 49.0) / problem.replicas;
        int steps = static_cast<int>(std::ceil(share / static_cast<double>(max_local) - 1e-8)) - 1;
        if (problem.replicas == 1 && share > low) steps = std::max(steps, 1);
        const auto local = static_cast<std::int64_t>(std::ceil(share / (steps + 1) - 1e-8));
        if (!problem.allows(local, steps)) continue;
        const double other = goodput.evaluate({problem.nodes, problem.replicas, local, steps});
        QVERIFY2(choice.goodput >= other * (1 - 1e-12),
                 golden::differ(describe(problem), choice.goodput, other));
      }
    }
  }

  void oneReplicaAccumulatesAboveTheInitialBatchSize() {
    const GoodputFunction goodput({0.1, 0.001, 0, 0, 0, 0, 1}, {0.001, 10}, 128);
    const Choice choice = goodput.optimize(1, 1, {1280, 0, 0, true});
    QVERIFY(choice.accumulation_steps >= 1);
    QVERIFY(batch_size(1, choice) > 128);
  }

  void withoutAccumulationOneReplicaKeepsTheInitialBatchSize() {
    const GoodputFunction goodput({0.1, 0.001, 0, 0, 0, 0, 1}, {0.001, 10}, 128);
    const Choice kept = goodput.optimize(1, 1, {1280, 0, 0, false});
    QCOMPARE(kept.local_batch_size, 128);
    QCOMPARE(kept.accumulation_steps, 0);
    QCOMPARE(goodput.optimize(1, 1, {1280, 200, 0, false}).local_batch_size, 200);  // no less is allowed
    QVERIFY(batch_size(2, goodput.optimize(1, 2, {1280, 0, 0, false})) > 128);
  }

  void itGrowsWhereItIsAllowedTo() {
    const GoodputFunction goodput({0.1, 0.001, 0, 0, 0, 0, 1}, {0.001, 10}, 128);
    for (const bool accumulation : {false, true}) {
      const Choice choice = goodput.optimize(1, 1, {1280, 0, 0, accumulation, true});
      QVERIFY(choice.local_batch_size > 128);
      QCOMPARE(choice.accumulation_steps, 0);
    }
  }

  void noNoiseKeepsTheInitialBatchSizeAndOnlyNoiseTakesTheLargest() {
    const PerfParams perf{0.1, 0.001, 0.1, 0.01, 0.1, 0.01, 2};
    for (const GradParams& grad : {GradParams{1, 0}, GradParams{0, 0}})
      QCOMPARE(batch_size(2, GoodputFunction(perf, grad, 128).optimize(1, 2, {1280, 0, 0, true})), 128);
    QCOMPARE(batch_size(2, GoodputFunction(perf, {0, 1}, 128).optimize(1, 2, {1280, 0, 0, false})), 1280);
  }

  // The answer is a choice within the bounds, or zeros, whatever the numbers; and no speed-up that is not a
  // number.
  void whatIsNotFiniteLeavesBounds() {
    std::mt19937_64 random(13);
    const double nan = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();
    const double values[] = {0, -1, 1e-300, 1e-8, 0.1, 1, 1e300, inf, nan};
    const auto pick = [&] { return values[random() % std::size(values)]; };
    for (int trial = 0; trial < 5'000; ++trial) {
      const PerfParams perf{pick(), pick(), pick(), pick(), pick(), pick(), pick()};
      const GoodputFunction goodput(perf, {pick(), pick()}, 1 + static_cast<std::int64_t>(random() % 300));
      const Bounds bounds{static_cast<std::int64_t>(random() % 2000),
                          static_cast<std::int64_t>(random() % 20), static_cast<std::int64_t>(random() % 200),
                          random() % 2 == 0, random() % 2 == 0};
      const int replicas = 1 + static_cast<int>(random() % 16);
      const Choice choice = goodput.optimize(1, replicas, bounds);
      checkWithin(bounds, 300, replicas, choice, "trial " + std::to_string(trial));
      const double speedup = SpeedupFunction(goodput, bounds)(1, replicas);
      QVERIFY(std::isfinite(speedup) && speedup >= 0);
      if (QTest::currentTestFailed()) return;
    }
  }

  void theMaximumDefaultsToTheInitialBatchSize() {
    const GoodputFunction goodput({0.1, 0.001, 0.1, 0.01, 0.1, 0.01, 2}, {0.001, 10}, 128);
    QCOMPARE(goodput.optimize(1, 2, {}).local_batch_size, 64);
    // 128 samples are not for 3 to share; 129 would be above the maximum.
    QCOMPARE(goodput.optimize(1, 3, {}).local_batch_size, 42);
  }

  void nothingFeasibleIsAChoiceOfZeros() {
    const GoodputFunction goodput({0.1, 0.001, 0.1, 0.01, 0.1, 0.01, 2}, {1, 1}, 128);
    for (const Choice& choice :
         {goodput.optimize(1, 200, {128, 0, 0, true}), goodput.optimize(1, 4, {128, 64, 0, true}),
          goodput.optimize(1, 1, {1024, 64, 32, true}), goodput.optimize(0, 1, {}),
          goodput.optimize(2, 1, {})}) {
      QCOMPARE(choice.goodput, 0.0);
      QCOMPARE(choice.local_batch_size, 0);
      QCOMPARE(choice.accumulation_steps, 0);
    }
    const std::vector<int> one{1}, two{1, 2};
    QVERIFY_EXCEPTION_THROWN(goodput.optimize(one, two, {}), std::invalid_argument);
  }

 private:
  static std::string describe(const Problem& problem) {
    return "init " + std::to_string(problem.init_batch_size) + " nodes " + std::to_string(problem.nodes) +
           " replicas " + std::to_string(problem.replicas) + " max " +
           std::to_string(problem.bounds.max_batch_size) + " local " +
           std::to_string(problem.bounds.min_local) + ".." + std::to_string(problem.bounds.max_local) +
           (problem.bounds.accumulation ? " with accumulation" : "");
  }

  static void checkWithin(const Bounds& bounds, std::int64_t init, int replicas, const Choice& choice,
                          const std::string& what) {
    QVERIFY2(std::isfinite(choice.goodput) && choice.goodput >= 0, what.c_str());
    if (choice.goodput == 0) return;
    const std::int64_t ceiling = bounds.max_batch_size > 0 ? bounds.max_batch_size : init;
    QVERIFY2(batch_size(replicas, choice) <= ceiling, what.c_str());
    QVERIFY2(choice.local_batch_size >= std::max<std::int64_t>(bounds.min_local, 1), what.c_str());
    QVERIFY2(bounds.max_local == 0 || choice.local_batch_size <= bounds.max_local, what.c_str());
    QVERIFY2(choice.accumulation_steps >= 0, what.c_str());
    QVERIFY2(bounds.accumulation || choice.accumulation_steps == 0, what.c_str());
  }

  // Returns whether AdaptDL's rule decides, not its search: for one replica without accumulation; here, too,
  // but within the largest batch size.
  static bool ruleDecides(int replicas, const Bounds& bounds, std::int64_t init, std::int64_t local) {
    return replicas == 1 && !bounds.accumulation &&
           local <= (bounds.max_batch_size > 0 ? bounds.max_batch_size : init);
  }
  static bool isConfiguration(const Choice& choice, std::int64_t local, int steps) {
    return choice.local_batch_size == local && choice.accumulation_steps == steps;
  }

  // AdaptDL's optimum where it lies within the bounds; where it does not, its neighbour within them.
  static void checkNoWorse(const GoodputFunction& goodput, int nodes, int replicas, const Bounds& bounds,
                           std::int64_t init, const Choice& choice, double expected, std::int64_t local,
                           int steps, const std::string& what) {
    const std::int64_t ceiling = bounds.max_batch_size > 0 ? bounds.max_batch_size : init;
    const std::int64_t micro_batches = replicas * (steps + std::int64_t{1});
    if (micro_batches * local > ceiling) {
      local = ceiling / micro_batches;
      if (local < std::max<std::int64_t>(bounds.min_local, 1) || micro_batches * local < init) return;
      expected = goodput.evaluate({nodes, replicas, local, steps});
    }
    QVERIFY2(choice.goodput >= expected * (1 - 1e-9), golden::differ(what, choice.goodput, expected));
  }
};

BATCHSCOPE_TEST(TestOptimize)
#include "test_optimize.moc"
