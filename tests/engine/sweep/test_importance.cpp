// SPDX-License-Identifier: Apache-2.0
//
// The importance of parameters, against closed forms of PED-ANOVA.
#include "batchscope/sweep/importance.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "batchscope/sweep/method.h"
#include "normal_cdf.h"
#include "rows.h"
#include "spaces.h"
#include "test_case.h"

using namespace batchscope::sweep;
using namespace batchscope::testing;

namespace {

std::vector<Trial> evaluated(const Space& space, Method method, std::size_t count,
                             const std::function<double(const Point&)>& cost) {
  std::vector<Trial> trials;
  while (trials.size() < count) {
    const Point point = *suggest(method, space, std::vector<Trial>(trials.size()), 1);
    trials.push_back(ended(point, cost(point)));
  }
  return trials;
}

// The probability of each of fifty cells of an axis from 0 to `width`.
std::vector<double> smoothed(std::span<const double> places, double width) {
  const double count = static_cast<double>(places.size());
  double mean = 0, variance = 0;
  for (const double place : places) mean += place / count;
  for (const double place : places) variance += (place - mean) * (place - mean) / count;
  const double sigma = std::max(std::sqrt(variance) * std::pow(count, -0.2), width / 100);
  const auto below = [&](double at, double place) { return normal_cdf((at - place) / sigma); };
  std::vector<double> cells(50, 0);
  for (const double place : places)
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const double from = width / 50 * static_cast<double>(i), to = width / 50 * static_cast<double>(i + 1);
      cells[i] += (below(to, place) - below(from, place)) / (below(width, place) - below(0, place)) / count;
    }
  return cells;
}

double divergence(const std::vector<double>& best, const std::vector<double>& all) {
  double sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) sum += (best[i] - all[i]) * (best[i] - all[i]) / all[i];
  return sum;
}

}  // namespace

class TestImportance : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // 80 trials on a grid of a = 3 .. 10 and b = 0 .. 9, cost 10 a + b, the best 15 %: 12 trials, with a = 3
  // for ten of them and a = 4, b < 2 for two. With p = 1/8 and 1/10:
  //   v_a ~ 8 ((10/12)^2 + (2/12)^2) - 1 = 43/9     v_b ~ 10 (2 (2/12)^2 + 8 (1/12)^2) - 1 = 1/9
  void countsAreExact() {
    const Space space({integer("a", 3, 10), integer("b", 0, 9)});
    const auto trials =
        evaluated(space, Method::grid, 80, [](const Point& point) { return 10 * *point[0] + *point[1]; });
    const auto found = importance(space, trials, 0.15);
    QVERIFY(std::abs(found[0] - 43.0 / 44) < 1e-9);
    QVERIFY(std::abs(found[1] - 1.0 / 44) < 1e-9);
  }

  // The best by 10 a + b are those with a = 0, as many as there are values of b: five trials at the least,
  // but no more than half of them.
  void theBestAreFiveOrHalf_data() {
    const auto row = columns<int, int>({"a", "b"});
    row("five of 20", 4, 5);
    row("half of 8", 2, 4);
  }
  void theBestAreFiveOrHalf() {
    QFETCH(const int, a);
    QFETCH(const int, b);
    const Space space({integer("a", 0, a - 1), integer("b", 0, b - 1)});
    const auto trials = evaluated(space, Method::grid, static_cast<std::size_t>(a * b),
                                  [](const Point& point) { return 10 * *point[0] + *point[1]; });
    const auto found = importance(space, trials);
    QVERIFY(std::abs(found[0] - 1) < 1e-9 && std::abs(found[1]) < 1e-9);
  }

  // max(x, y / 2) <= t has the share 2 t^2 of the square; there x is even on [0, t], y on [0, 2 t]:
  //   v_x ~ 1 / t - 1     v_y ~ 1 / (2 t) - 1     with t = sqrt(0.05): 0.737 and 0.263
  void densitiesComeNear_data() {
    QTest::addColumn<bool>("log");
    QTest::newRow("linear") << false;
    QTest::newRow("logarithmic") << true;  // what counts is the axis
  }
  void densitiesComeNear() {
    QFETCH(bool, log);
    const Space space(
        {log ? real("x", 1, std::exp(1), true) : real("x", 0, 1), real("y", 0, 1), real("idle", 0, 1)});
    const auto trials = evaluated(space, Method::sobol, 2048, [&](const Point& point) {
      return std::max(log ? std::log(*point[0]) : *point[0], *point[1] / 2);
    });
    const auto found = importance(space, trials);
    QVERIFY2(std::abs(found[0] - 0.737) < 0.04, std::to_string(found[0]).c_str());
    QVERIFY2(std::abs(found[1] - 0.263) < 0.04, std::to_string(found[1]).c_str());
    QVERIFY(found[2] < 0.01);
    QVERIFY(std::abs(std::reduce(found.begin(), found.end()) - 1) < 1e-12);
  }

  // The densities in closed form: normal kernels of Scott's width, cut off at the ends, in fifty cells.
  void densitiesAreSumsOfKernels() {
    const Space space({real("x", 0, 2), real("y", 1, std::exp(2), true)});
    std::vector<Trial> trials;
    for (int i = 0; i < 40; ++i) {
      const double x = 2 * std::fmod(0.618 * i, 1), y = std::fmod(0.41 * i, 1);
      trials.push_back(ended({x, std::exp(2 * y)}, x + y / 2));
    }
    std::vector<Trial> ranking = trials;
    std::ranges::sort(ranking, {}, [](const Trial& trial) { return *trial.cost; });
    const auto explained = [&](std::size_t parameter) {
      std::vector<double> places;
      for (const Trial& trial : ranking)
        places.push_back(parameter == 0 ? *trial.point[0] : std::log(*trial.point[1]));
      return divergence(smoothed(std::span(places).first(10), 2), smoothed(places, 2));
    };
    const double x = explained(0), y = explained(1);
    const auto found = importance(space, trials, 0.25);
    QVERIFY2(std::abs(found[0] - x / (x + y)) < 1e-9, std::to_string(found[0]).c_str());
    QVERIFY(found[1] > 0.01);
  }

  // Up to fifty values are counted, more are smoothed. The best five of them are the first.
  void fiftyValuesAreFew() {
    for (const int count : {50, 51}) {
      const Space space({integer("n", 1, count), integer("odd", 0, 1)});
      std::vector<Trial> trials;
      std::vector<double> places;
      for (int n = 1; n <= count; ++n) {
        trials.push_back(ended({static_cast<double>(n), static_cast<double>(n % 2)}, n));
        places.push_back(n - 0.5);
      }
      const double few = 1.0 / count;
      const double n = count > 50
                           ? divergence(smoothed(std::span(places).first(5), count), smoothed(places, count))
                           : 5 * (0.2 - few) * (0.2 - few) / few + (count - 5) * few;
      const double odds = (count + 1) / 2 * few, evens = count / 2 * few;
      const double odd = (0.6 - odds) * (0.6 - odds) / odds + (0.4 - evens) * (0.4 - evens) / evens;
      const auto found = importance(space, trials, 0.1);
      QVERIFY2(std::abs(found[0] - n / (n + odd)) < 1e-9, std::to_string(found[0]).c_str());
    }
  }

  // Trials that all lie at one place have a density there, half a cell wide.
  void onePlaceIsHalfACellWide() {
    const Space space({real("x", 0, 2), real("y", 0, 1)});
    std::vector<Trial> trials;
    std::vector<double> x, y;
    for (int i = 0; i < 40; ++i) {
      x.push_back(i < 10 ? 1.01 : 2 * std::fmod(0.618 * i, 1));
      y.push_back(std::fmod(0.41 * i, 1));
      trials.push_back(ended({x.back(), y.back()}, i));
    }
    const double of_x = divergence(smoothed(std::span(x).first(10), 2), smoothed(x, 2)),
                 of_y = divergence(smoothed(std::span(y).first(10), 1), smoothed(y, 1));
    const auto found = importance(space, trials, 0.25);
    QVERIFY2(std::abs(found[0] - of_x / (of_x + of_y)) < 1e-9, std::to_string(found[0]).c_str());
  }

  // Values are counted by their places on the grid, also where some of them were never tried. The best five
  // of 20 have a = 0, and b = 0 three times: v_a ~ 1 and v_b ~ 0.04 (0.02 each for two halves).
  void valuesOfAGridAreCountedByTheirPlaces() {
    for (const double most : {4.0, 8.0}) {
      const Space space({with_step(integer("a", 0, most), 4), with_step(integer("b", 0, 4), 4)});
      std::vector<Trial> trials;
      for (int i = 0; i < 20; ++i) trials.push_back(ended({i < 10 ? 0.0 : 4.0, 4.0 * (i % 2)}, i));
      const auto found = importance(space, trials);
      QVERIFY2(std::abs(found[0] - 1 / 1.04) < 1e-9, std::to_string(found[0]).c_str());
    }
  }

  // One of three trials is the best: v ~ (1/3)^2 / (2/3) + (1/3)^2 / (1/3) = 1/2, all that there is to
  // explain.
  void threeTrialsSaySomething() {
    const Space space({integer("a", 0, 1), integer("idle", 0, 1)});
    const auto found =
        importance(space, std::vector{ended({0.0, 0.0}, 1), ended({0.0, 0.0}, 2), ended({1.0, 0.0}, 3)});
    QVERIFY(std::abs(found[0] - 1) < 1e-12 && found[1] == 0);
  }

  // Few trials stand for more than themselves: of 32, the best five lie far apart on the axis that changes
  // nothing, whose values come in the order of their bits.
  void fewTrialsAreSpread() {
    const Space space({real("x", 0, 1), real("idle", 0, 1)});
    std::vector<Trial> trials;
    for (int i = 0; i < 32; ++i) {
      int reversed = 0;
      for (int bit = 0; bit < 5; ++bit) reversed |= (i >> bit & 1) << (4 - bit);
      const double x = (i + 0.5) / 32;
      trials.push_back(ended({x, (reversed + 0.5) / 32}, x));
    }
    const auto found = importance(space, trials);
    QVERIFY2(found[1] < 0.05, std::to_string(found[1]).c_str());
  }

  // A parameter that only some trials have counts by these alone.
  void aConditionCountsByItsShare() {
    const Space space({choice("rule", {"sgd", "adam"}), when(integer("momentum", 0, 3), "rule", {"sgd"}),
                       integer("layers", 0, 3)});
    // Both alike where they are, but momentum is in every second trial alone.
    const auto trials = evaluated(space, Method::random, 4000, [](const Point& point) {
      return (point[1] ? *point[1] : 3 * (1 - *point[0])) + *point[2] + (point[1] ? 0 : 3);
    });
    const auto found = importance(space, trials);
    QVERIFY(found[1] > 0.05 && found[1] < found[2]);
  }

  void nothingIsKnownOfNothing() {
    const Space space({real("x", 0, 1), choice("c", {"a"})});
    QCOMPARE(importance(space, {}), (std::vector<double>{0, 0}));
    const std::vector<Trial> one{ended({0.5, 0.0}, 1)},
        failed(20, {{0.5, 0.0}, Trial::State::failed, {}, {}});
    QCOMPARE(importance(space, one), (std::vector<double>{0, 0}));
    QCOMPARE(importance(space, failed), (std::vector<double>{0, 0}));
  }
};

BATCHSCOPE_TEST(TestImportance)
#include "test_importance.moc"
