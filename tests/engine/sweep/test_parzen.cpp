// SPDX-License-Identifier: Apache-2.0
//
// The density that tpe compares points by, in closed form, and that points are drawn from it.
#include "method/parzen.h"

#include <cmath>
#include <numbers>

#include "normal_cdf.h"
#include "rows.h"
#include "spaces.h"
#include "test_case.h"

using namespace batchscope::sweep;
using namespace batchscope::testing;

namespace {

double height(double z) { return std::exp(-z * z / 2); }

// A kernel at `mean` on the axis from 0 to 1.
double kernel(double x, double mean, double sigma) {
  return height((x - mean) / sigma) / (normal_cdf((1 - mean) / sigma) - normal_cdf(-mean / sigma));
}

double prior(double x) { return kernel(x, 0.5, 1); }

std::vector<Trial> trials_at(const std::vector<Point>& points) {
  std::vector<Trial> trials;
  for (const Point& point : points) trials.push_back(ended(point, 1));
  return trials;
}

std::vector<const Trial*> pointers(const std::vector<Trial>& trials) {
  std::vector<const Trial*> pointers;
  for (const Trial& trial : trials) pointers.push_back(&trial);
  return pointers;
}

// The density at a point, after trials at the others.
double density(const Space& space, const std::vector<Point>& trials, const Point& point) {
  const std::vector<Trial> kept = trials_at(trials);
  return Parzen(space, pointers(kept)).density(point);
}

QByteArray differ(double is, double should) {
  return QByteArray::number(is, 'g', 17) + ", expected " + QByteArray::number(should, 'g', 17);
}

#define VERIFY_NEAR(is, should) \
  QVERIFY2(std::abs((is) - (should)) < 1e-12 * std::abs(should), differ(is, should).constData())

}  // namespace

class TestParzen : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // sigma is the larger distance to a neighbour, the prior's middle included, at least 1 / (kernels + 1).
  void kernelsAreAsWideAsTheGapsBesideThem() {
    const Space space({real("x", 0, 1)});
    for (const double x : {0.0, 0.1, 0.3, 0.5, 0.75, 1.0}) {
      VERIFY_NEAR(density(space, {}, {x}), prior(x));
      VERIFY_NEAR(density(space, {{0.25}}, {x}), (kernel(x, 0.25, 1 / 3.0) + prior(x)) / 2);
      VERIFY_NEAR(density(space, {{0.05}}, {x}), (kernel(x, 0.05, 0.45) + prior(x)) / 2);
      VERIFY_NEAR(density(space, {{0.95}}, {x}), (kernel(x, 0.95, 0.45) + prior(x)) / 2);
      VERIFY_NEAR(density(space, {{0.2}, {0.1}}, {x}),
                  (kernel(x, 0.2, 0.3) + kernel(x, 0.1, 0.25) + prior(x)) / 3);
      VERIFY_NEAR(density(space, {{0.9}, {0.6}}, {x}),
                  (kernel(x, 0.9, 0.3) + kernel(x, 0.6, 0.3) + prior(x)) / 3);
    }
  }

  // The mean height over a value's cell, which is a quarter of the axis.
  void valuesOfAGridHaveTheMeanOfTheirCells() {
    const double root = std::sqrt(2 * std::numbers::pi), inside = normal_cdf(0.5) - normal_cdf(-0.5);
    const double outer = root * (normal_cdf(0.5) - normal_cdf(0.25)) / 0.25 / inside,
                 inner = root * (normal_cdf(0.25) - normal_cdf(0)) / 0.25 / inside;
    for (const Space& space : {Space({integer("n", 1, 4)}), Space({with_step(real("n", 1, 4), 1)})}) {
      VERIFY_NEAR(density(space, {}, {1.0}), outer);
      VERIFY_NEAR(density(space, {}, {2.0}), inner);
      VERIFY_NEAR(density(space, {}, {3.0}), inner);
      VERIFY_NEAR(density(space, {}, {4.0}), outer);
    }
  }

  // The choice counts 1 + 1/n of n kernels and each other one 1/n, over their mean.
  void aChoiceIsLikelierWhereItWasMade() {
    const Space space({choice("c", {"a", "b", "c"})});
    VERIFY_NEAR(density(space, {}, {1.0}), 1.0);
    const double mean = (1 + 3 / 2.0) / 3;  // of two kernels
    VERIFY_NEAR(density(space, {{1.0}}, {1.0}), (1.5 / mean + 1) / 2);
    VERIFY_NEAR(density(space, {{1.0}}, {0.0}), (0.5 / mean + 1) / 2);
  }

  // The first of so many trials is at one choice and the others at the other.
  void oldTrialsWeighLess_data() {
    const auto row = columns<int, std::vector<double>>({"trials", "weights"});
    row("as many as are fresh", 25, {});
    row("one more", 26, {1 / 26.0});
    row("two more", 27, {1 / 27.0, 1});
    row("three more", 28, {1 / 28.0, 1 / 28.0 + 27 / 56.0, 1});
  }
  void oldTrialsWeighLess() {
    QFETCH(const int, trials);
    QFETCH(std::vector<double>, weights);
    weights.resize(static_cast<std::size_t>(trials) + 1, 1);  // the last is the prior's
    const Space space({choice("c", {"a", "b"})});
    std::vector<Point> points(static_cast<std::size_t>(trials), Point{1.0});
    points[0] = {0.0};
    const double n = trials + 1, mean = (1 + 2 / n) / 2;
    double sum = 0, expected = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      sum += weights[i];
      expected += weights[i] * (i + 1 == weights.size() ? 1 : ((i == 0 ? 1 : 0) + 1 / n) / mean);
    }
    VERIFY_NEAR(density(space, points, {0.0}), expected / sum);
  }

  // A crowd at one place is at least a hundredth of the axis wide, however many they are; the last one of it
  // reaches as far as the prior's middle.
  void aCrowdIsAHundredthWide() {
    const Space space({real("x", 0, 1)});
    constexpr int kTrials = 120, kOld = kTrials - 25;
    const std::vector<Point> points(kTrials, Point{0.25});
    for (const double x : {0.24, 0.25, 0.3, 0.9}) {
      double sum = 1, expected = prior(x);
      for (int i = 0; i < kTrials; ++i) {
        const double first = 1.0 / kTrials, weight = i < kOld ? first + (1 - first) * i / (kOld - 1) : 1;
        sum += weight;
        expected += weight * kernel(x, 0.25, i + 1 == kTrials ? 0.25 : 0.01);
      }
      VERIFY_NEAR(density(space, points, {x}), expected / sum);
    }
  }

  // A kernel is of all parameters together; one that a trial lacks is the prior's there.
  void kernelsAreOfAllParameters() {
    const Space space({choice("rule", {"a", "b"}), real("x", 0, 1), when(real("y", 0, 1), "rule", {"a"})});
    const double here = 1.5 / 1, there = 0.5 / 1;  // of two kernels and two choices
    VERIFY_NEAR(density(space, {{0.0, 0.25, 0.05}}, {0.0, 0.4, 0.3}),
                (here * kernel(0.4, 0.25, 1 / 3.0) * kernel(0.3, 0.05, 0.45) + prior(0.4) * prior(0.3)) / 2);
    VERIFY_NEAR(density(space, {{0.0, 0.25, 0.05}}, (Point{1.0, 0.4, std::nullopt})),
                (there * kernel(0.4, 0.25, 1 / 3.0) + prior(0.4)) / 2);
    // The one that lacks y has no place among the neighbours there.
    VERIFY_NEAR(density(space, {(Point{1.0, 0.25, std::nullopt})}, {0.0, 0.4, 0.3}),
                (there * kernel(0.4, 0.25, 1 / 3.0) + prior(0.4)) / 2 * prior(0.3));
  }

  // Shares of 20,000 draws, as the two kernels have them.
  void pointsAreDrawnFromTheKernels() {
    const Space space({real("x", 0, 1), choice("c", {"a", "b", "c", "d"})});
    const std::vector<Trial> trials = trials_at({{0.25, 2.0}});
    const Parzen parzen(space, pointers(trials));
    Random random(3, 5);
    constexpr int kDraws = 20'000;
    int low = 0, high = 0, chosen = 0, first = 0;
    for (int i = 0; i < kDraws; ++i) {
      const Point point = parzen.draw(random);
      QVERIFY(*point[0] >= 0 && *point[0] <= 1);
      low += *point[0] < 0.25;
      high += *point[0] > 0.75;
      chosen += *point[1] == 2;
      first += *point[1] == 0;
    }
    const double own = normal_cdf(2.25) - normal_cdf(-0.75), of_prior = normal_cdf(0.5) - normal_cdf(-0.5);
    const double extra = 1 / (1 + 4 / 2.0);
    const auto near = [](int count, double share) {
      return std::abs(count - kDraws * share) < 0.01 * kDraws;
    };
    QVERIFY(near(
        low, (0.5 - normal_cdf(-0.75)) / own / 2 + (normal_cdf(-0.25) - normal_cdf(-0.5)) / of_prior / 2));
    QVERIFY(near(high, (normal_cdf(2.25) - normal_cdf(1.5)) / own / 2 +
                           (normal_cdf(0.5) - normal_cdf(0.25)) / of_prior / 2));
    QVERIFY(near(chosen, (extra + (1 - extra) / 4) / 2 + 0.25 / 2));
    QVERIFY(near(first, (1 - extra) / 4 / 2 + 0.25 / 2));
    // The first choice is one as the others are.
    const std::vector<Trial> at_first = trials_at({{0.25, 0.0}});
    const Parzen of_first(space, pointers(at_first));
    first = 0;
    for (int i = 0; i < kDraws; ++i) first += *of_first.draw(random)[1] == 0;
    QVERIFY(near(first, (extra + (1 - extra) / 4) / 2 + 0.25 / 2));
  }
};

BATCHSCOPE_TEST(TestParzen)
#include "test_parzen.moc"
