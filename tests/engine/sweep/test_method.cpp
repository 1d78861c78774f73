// SPDX-License-Identifier: Apache-2.0
//
// The choice of the next point; against Optuna's choice: test_optuna.py.
#include "batchscope/sweep/method.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "method/parzen.h"
#include "random.h"
#include "rows.h"
#include "spaces.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::sweep;
using namespace batchscope::testing;

namespace {

constexpr Method kMethods[] = {Method::grid, Method::random, Method::sobol, Method::tpe};

// Some cost that depends on everything.
double cost(const Point& point) {
  double sum = 0;
  for (std::size_t i = 0; i < point.size(); ++i)
    sum += std::sin(static_cast<double>(i) + point[i].value_or(-1));
  return sum;
}

std::vector<Trial> swept(Method method, const Space& space, std::size_t count, std::uint64_t seed) {
  std::vector<Trial> trials;
  while (trials.size() < count) {
    const auto point = suggest(method, space, trials, seed);
    if (!point) break;
    trials.push_back(ended(*point, cost(*point)));
  }
  return trials;
}

std::vector<Point> points(const std::vector<Trial>& trials) {
  std::vector<Point> points;
  for (const Trial& trial : trials) points.push_back(trial.point);
  return points;
}

}  // namespace

class TestMethod : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // A sweep that was killed relies on this: the same history gives the same point.
  void historyAndSeedDetermineThePoint() {
    const Space space = mixed_space();
    for (const Method method : {Method::random, Method::sobol, Method::tpe}) {
      const auto first = points(swept(method, space, 60, 7));
      QCOMPARE(points(swept(method, space, 60, 7)), first);
      QVERIFY(points(swept(method, space, 60, 8)) != first);
      for (const Point& point : first) QCOMPARE(space.point(space.texts(point)), point);
    }
  }

  // One that goes on after an update, or on another machine, has the points that it would have had.
  void thePointsOfASeedStay_data() {
    const auto row = columns<Method, int, QString>({"method", "number", "points"});
    row("random", Method::random, 0, "4 0.02732743 0.093372 sgd; 3 0.01576032 0.228751 sgd; 5 0.007850961 adam");
    row("random, later", Method::random, 5, "4 0.006884246 adam; 1 0.727664 0.04889 sgd; 5 0.01771588 adam");
    row("sobol", Method::sobol, 0, "1 0.02732743 0.442848 sgd; 5 0.0002732743 adam; 3 0.002732743 0.192848 sgd");
    row("sobol, later", Method::sobol, 5, "4 0.008641693 adam; 6 0.0008641693 0.567848 sgd; 2 0.08641693 adam");
    row("tpe", Method::tpe, 10, "1 0.0002297641 0.075017 sgd; 5 0.01095766 adam; 2 0.003477152 adam");
    row("tpe, later", Method::tpe, 40, "2 0.01248288 0.255226 sgd; 3 0.004904128 0.133089 sgd; 4 0.02325774 0.202998 sgd");
  }
  void thePointsOfASeedStay() {
    QFETCH(const Method, method);
    QFETCH(const int, number);
    const Space space({real("lr", 1e-4, 1, true), choice("rule", {"adam", "sgd"}),
                       when(real("momentum", 0, 1), "rule", {"sgd"}), integer("layers", 1, 8)});
    std::vector<Trial> trials;
    std::string points;
    while (trials.size() < static_cast<std::size_t>(number) + 3) {
      const Point point = *suggest(method, space, trials, 3);
      if (trials.size() >= static_cast<std::size_t>(number))
        for (const auto& [name, text] : space.texts(point)) points += (name != "layers" ? " " : points.empty() ? "" : "; ") + text;
      trials.push_back(ended(point, std::abs(*point[0] - 0.01) + 0.01 * std::abs(*point[3] - 3)));
    }
    QTEST(QString::fromStdString(points), "points");
  }

  void allOfASeedCounts() {
    const Space space({real("x", 0, 1)});
    for (const Method method : {Method::random, Method::sobol})
      QVERIFY(suggest(method, space, {}, 1) != suggest(method, space, {}, (std::uint64_t{1} << 32) + 1));
  }

  void gridHasEachCombinationOnce() {
    const Space space({when(choice("momentum", {"0.9", "0.99"}), "rule", {"sgd"}),
                       choice("rule", {"adam", "sgd"}), integer("layers", 1, 3)});
    QCOMPARE(grid_size(space), std::size_t{9});
    const auto all = points(swept(Method::grid, space, 100, 0));
    QCOMPARE(all.size(), std::size_t{9});
    QCOMPARE(std::set(all.begin(), all.end()).size(), std::size_t{9});
    const Space plain({choice("a", {"x", "y"}), integer("n", 1, 2)});
    const auto order = points(swept(Method::grid, plain, 100, 0));
    QCOMPARE(order, (std::vector<Point>{{0.0, 1.0}, {0.0, 2.0}, {1.0, 1.0}, {1.0, 2.0}}));
    QCOMPARE(grid_size(Space({integer("n", 1, 1e6), integer("m", 1, 1e6)})), kLargestGrid);
    VERIFY_THROWS("usage", "parameter 'lr' has endlessly many values", grid_size(Space({real("lr", 0, 1)})));
  }

  // One of each 2^k numbers in a row lies in each 2^k-th of every axis, whatever the seed.
  void sobolLeavesNoRegionOut() {
    const Space space({real("a", 0, 1), real("b", 0, 1), real("c", 0, 1), real("d", 0, 1)});
    for (const std::uint64_t seed : {0, 1, 99}) {
      const auto all = points(swept(Method::sobol, space, 64, seed));
      for (std::size_t axis = 0; axis < 4; ++axis) {
        for (const std::size_t begin : {0, 32}) {
          std::set<int> regions;
          for (std::size_t i = begin; i < begin + 32; ++i)
            regions.insert(static_cast<int>(*all[i][axis] * 32));
          QCOMPARE(regions.size(), std::size_t{32});
        }
      }
    }
  }

  void randomIsEvenOnTheAxis() {
    const Space space({real("lr", 1e-4, 1, true), integer("n", 1, 3)});
    int small = 0;
    std::vector<int> counts(4, 0);
    for (std::size_t i = 0; i < 3000; ++i) {
      const Point point = *suggest(Method::random, space, std::vector<Trial>(i), 5);
      small += *point[0] < 1e-2;
      ++counts[static_cast<std::size_t>(*point[1])];
    }
    QVERIFY(std::abs(small - 1500) < 150);
    for (int n = 1; n <= 3; ++n) QVERIFY(std::abs(counts[static_cast<std::size_t>(n)] - 1000) < 150);
  }

  // Ten trials have to come to an end, whether or not others are under way or failed.
  void tpeBeginsAsSobolDoes() {
    const Space space({real("x", 0, 1), real("y", 0, 1)});
    std::vector<Trial> trials = swept(Method::sobol, space, 9, 3);
    trials.push_back({{0.5, 0.5}, Trial::State::failed, {}, {}});
    trials.push_back({{0.25, 0.5}, Trial::State::running, {}, {}});
    QCOMPARE(suggest(Method::tpe, space, trials, 3), suggest(Method::sobol, space, trials, 3));
    trials.back() = ended({0.25, 0.5}, 1);
    QVERIFY(suggest(Method::tpe, space, trials, 3) != suggest(Method::sobol, space, trials, 3));
  }

  // A parameter that decides is found, one that does not is left open.
  void tpeGathersWhereItIsGood() {
    const Space space({real("x", 0, 1), choice("c", {"a", "b", "c", "d"}), real("idle", 0, 1)});
    std::vector<Trial> trials;
    while (trials.size() < 80) {
      const Point point = *suggest(Method::tpe, space, trials, 3);
      trials.push_back(ended(point, std::abs(*point[0] - 0.3) + (*point[1] == 2 ? 0 : 1)));
    }
    int near = 0, right = 0;
    for (std::size_t i = 40; i < 80; ++i) {
      near += std::abs(*trials[i].point[0] - 0.3) < 0.1;
      right += *trials[i].point[1] == 2;
    }
    QVERIFY(near >= 24);
    QVERIFY(right >= 28);
    std::set<int> idle;
    for (const Trial& trial : trials) idle.insert(static_cast<int>(*trial.point[2] * 10));
    QVERIFY(idle.size() >= 8);
  }

  // No value is tried again while others of few are left.
  void tpeTriesNothingTwiceWhileThereIsMore() {
    const Space space({integer("n", 1, 8), choice("c", {"a", "b", "c"})});
    const auto all = points(swept(Method::tpe, space, 20, 2));
    QVERIFY(std::set(all.begin(), all.end()).size() >= 19);
  }

  void tpeMinglesNeitherFailuresNorTheUnfinished() {
    const Space space({real("x", 0, 1)});
    std::vector<Trial> trials = swept(Method::tpe, space, 20, 1);
    const Point before = *suggest(Method::tpe, space, trials, 1);
    // A failed one says nothing: only the number of the trial is another one, and with it the draw.
    std::vector<Trial> failed = trials, idle = trials;
    failed.push_back({{0.5}, Trial::State::failed, {}, {}});
    idle.push_back({{0.9999}, Trial::State::failed, {}, {}});
    QCOMPARE(suggest(Method::tpe, space, failed, 1), suggest(Method::tpe, space, idle, 1));
    // Many that run at a place keep new ones away from it.
    int there = 0, beside = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      std::vector<Trial> running = trials;
      for (int i = 0; i < 8; ++i) running.push_back({before, Trial::State::running, {}, {}});
      const auto near = [&](const std::vector<Trial>& history) {
        return std::abs(**suggest(Method::tpe, space, history, seed)->begin() - *before[0]) < 0.05;
      };
      there += near(trials);
      beside += near(running);
    }
    QVERIFY(beside < there);
  }

  // From 24 points that are drawn from the density of the best that one is taken at which it is the highest
  // over that of the others; one that was tried before only where ten times all of them were.
  void tpeTakesTheBestOfItsCandidates_data() {
    const auto row = columns<int, int>({"trials", "best"});
    row("one of ten is the best", 10, 1);
    row("two of eleven", 11, 2);
    row("25 of 250", 250, 25);
    row("no more than 25", 300, 25);
  }
  void tpeTakesTheBestOfItsCandidates() {
    QFETCH(const int, trials);
    QFETCH(const int, best);
    for (const Space& space : {Space({real("x", 0, 1), choice("c", {"a", "b", "c"})}),
                               Space({integer("n", 1, 4), choice("c", {"a", "b"})})}) {
      std::vector<Trial> known;
      for (int i = 0; i < trials; ++i) {
        const Point point = *suggest(Method::random, space, std::vector<Trial>(known.size()), 9);
        known.push_back(ended(point, cost(point) + 1e-6 * i));
      }
      known.push_back({known.front().point, Trial::State::running, {}, {}});
      known.push_back({known.back().point, Trial::State::failed, {}, {}});
      std::vector<const Trial*> ranking, others;
      for (const Trial& trial : known)
        if (trial.cost) ranking.push_back(&trial);
      std::ranges::sort(ranking, {}, [](const Trial* trial) { return *trial->cost; });
      others.assign(ranking.begin() + best, ranking.end());
      others.push_back(&known[static_cast<std::size_t>(trials)]);  // which is not known yet
      ranking.resize(static_cast<std::size_t>(best));
      std::ranges::sort(ranking);
      std::ranges::sort(others);
      const Parzen good(space, ranking), bad(space, others);
      const auto tried = [&](const Point& point) {
        return std::ranges::find(known, point, &Trial::point) != known.end();
      };
      Random random(5, known.size());
      Point expected;
      for (int attempt = 0; attempt < 10 && (attempt == 0 || tried(expected)); ++attempt) {
        double highest = -1;
        for (int candidate = 0; candidate < 24; ++candidate) {
          const Point point = good.draw(random);
          const double ratio = tried(point) ? 0 : good.density(point) / bad.density(point);
          if (ratio > highest) highest = ratio, expected = point;
        }
      }
      QCOMPARE(suggest(Method::tpe, space, known, 5), std::optional(expected));
    }
  }

  // A trial that came further is better, and one that diverged is the worst.
  void tpeTakesTheFurtherForTheBetter() {
    const Space space({real("x", 0, 1)});
    std::vector<Trial> trials;
    for (int i = 0; i < 40; ++i) {
      const double x = (i + 0.5) / 40;
      const bool promoted = x > 0.7 && x<0.8, diverged = x> 0.9;
      trials.push_back({{x},
                        Trial::State::paused,
                        diverged   ? INFINITY
                        : promoted ? 2.0
                                   : 1.0,
                        promoted ? 600.0 : 200.0});
    }
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const double x = **suggest(Method::tpe, space, trials, seed)->begin();
      QVERIFY2(x > 0.65 && x < 0.85, std::to_string(x).c_str());
    }
  }

  // Few of a space's points are new, and Sobol's numbers come to them in the order of their own.
  void sobolsNextIsTakenWhereOneWasTried() {
    const Space space({integer("n", 1, 3)});
    std::vector<Trial> trials;
    for (int i = 0; i < 8; ++i) {
      Point expected;
      for (std::size_t attempt = 0; attempt < 10; ++attempt) {
        expected = *suggest(Method::sobol, space, std::vector<Trial>(trials.size() + attempt), 6);
        if (std::ranges::find(trials, expected, &Trial::point) == trials.end()) break;
      }
      const Point point = *suggest(Method::tpe, space, trials, 6);
      QCOMPARE(point, expected);
      trials.push_back(ended(point, 1));
    }
  }

  void noHistoryIsNeeded() {
    for (const Method method : kMethods) QVERIFY(suggest(method, Space({choice("a", {"x"})}), {}, 0));
    const std::vector<Trial> known = swept(Method::tpe, Space({choice("a", {"x"})}), 30, 0);
    QCOMPARE(known.size(), std::size_t{30});  // a space of one point is not a trap
  }
};

BATCHSCOPE_TEST(TestMethod)
#include "test_method.moc"
