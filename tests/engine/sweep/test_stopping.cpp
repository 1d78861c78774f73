// SPDX-License-Identifier: Apache-2.0
//
// The choice of trials that go on: the rules by hand, and successive halving against the paper's own steps.
#include "batchscope/sweep/stopping.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "test_case.h"

using namespace batchscope::sweep;
using Kind = StopRule::Kind;

namespace {

const StopRule kAsha{Kind::asha, 200, 5400, 3};  // rungs at 200, 600, 1800, 5400

// Algorithm 2 of Li et al. (MLSys 2020), with the sets of a rung kept as the paper has them.
class Paper {
 public:
  explicit Paper(int eta, int rungs)
      : eta_(static_cast<std::size_t>(eta)),
        came_(static_cast<std::size_t>(rungs)),
        promoted_(came_.size()) {}

  void report(std::size_t trial, std::size_t rung, double cost) { came_[rung].emplace_back(cost, trial); }

  std::optional<Leg> get_job() {
    for (std::size_t rung = came_.size() - 1; rung-- > 0;) {
      auto candidates = came_[rung];
      std::sort(candidates.begin(), candidates.end());
      candidates.resize(candidates.size() / eta_);
      for (const auto& [cost, trial] : candidates)
        if (promoted_[rung].insert(trial).second) return Leg{trial, static_cast<int>(rung) + 1, {}};
    }
    return std::nullopt;
  }

 private:
  std::size_t eta_;
  std::vector<std::vector<std::pair<double, std::size_t>>> came_;
  std::vector<std::set<std::size_t>> promoted_;
};

}  // namespace

class TestStopping : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void rungsArePowers() {
    const double expected[] = {200, 600, 1800, 5400, 5400};
    for (int rung = 0; rung < 5; ++rung) QCOMPARE(*iterations_at(kAsha, rung), expected[rung]);
    QVERIFY(!is_last(kAsha, 2) && is_last(kAsha, 3));
    const StopRule odd{Kind::asha, 100, 500, 2};
    QCOMPARE(*iterations_at(odd, 2), 400.0);
    QCOMPARE(*iterations_at(odd, 3), 500.0);  // the last one is the most, power or not
    QVERIFY(is_last(odd, 3));
    const StopRule open{Kind::median, 100, {}, 2};
    QCOMPARE(*iterations_at(open, 10), 102400.0);
    QVERIFY(!is_last(open, 10));
    QVERIFY(is_last({}, 0) && !iterations_at({}, 0));
  }

  // 0.3 * 3^2 is 2.7, and 33 / 1.1 is 30, whatever a double makes of them.
  void whatIsWholeOnPaperIsWhole() {
    const StopRule rule{Kind::asha, 0.3, 2.7, 3};
    QVERIFY(!is_last(rule, 1) && is_last(rule, 2));
    QCOMPARE(*iterations_at(rule, 2), 2.7);
    const StopRule many{Kind::asha, 1, {}, 1.1};
    std::vector<Leg> legs;
    for (std::size_t trial = 0; trial < 33; ++trial) legs.push_back({trial, 0, static_cast<double>(trial)});
    QCOMPARE(verdict(many, legs, 29, 0), Verdict::go_on);
    QCOMPARE(verdict(many, legs, 30, 0), Verdict::pause);
  }

  void ashaByHand() {
    std::vector<Leg> legs{{0, 0, 0.9}, {1, 0, 0.5}};
    QVERIFY(!promotion(kAsha, legs));  // a third of two is nobody
    QCOMPARE(verdict(kAsha, legs, 1, 0), Verdict::pause);
    legs.push_back({2, 0, 0.7});
    QCOMPARE(*promotion(kAsha, legs), (Leg{1, 1, {}}));
    QCOMPARE(verdict(kAsha, legs, 2, 0), Verdict::pause);
    legs.push_back({1, 1, {}});
    QVERIFY(!promotion(kAsha, legs));  // nobody goes on twice
    for (std::size_t trial = 3; trial < 6; ++trial)
      legs.push_back({trial, 0, 0.1 * static_cast<double>(trial)});
    QCOMPARE(*promotion(kAsha, legs), (Leg{3, 1, {}}));  // 0.3: the best of six; trial 1 had gone on before
    QCOMPARE(verdict(kAsha, legs, 3, 0), Verdict::go_on);
  }

  // A mistake of early days is not undone: the trial is at its rung, and costs nobody a place there.
  void whoDivergedNeverGoesOn() {
    std::vector<Leg> legs;
    for (std::size_t trial = 0; trial < 6; ++trial) legs.push_back({trial, 0, INFINITY});
    QVERIFY(!promotion(kAsha, legs));
    legs[4].cost = 3;
    QCOMPARE(*promotion(kAsha, legs), (Leg{4, 1, {}}));
  }

  // The rule holds for as many workers as one likes, in any order of arrival.
  void ashaPromotesAsThePaperDoes() {
    for (unsigned seed = 0; seed < 40; ++seed) {
      std::mt19937 random(seed);
      const int eta = 2 + static_cast<int>(random() % 3), workers = 1 + static_cast<int>(random() % 6);
      const StopRule rule{Kind::asha, 10, 10 * std::pow(eta, 3), static_cast<double>(eta)};
      Paper paper(eta, 4);
      std::vector<Leg> legs;
      std::vector<std::size_t> under_way;
      std::size_t trials = 0;
      for (;;) {
        while (static_cast<int>(under_way.size()) < workers) {
          const auto expected = paper.get_job(), next = promotion(rule, legs);
          QCOMPARE(next, expected);
          if (!next && trials == 80) break;
          under_way.push_back(legs.size());
          legs.push_back(next.value_or(Leg{trials, 0, {}}));
          trials += next ? 0 : 1;
        }
        if (under_way.empty()) break;
        const auto at = under_way.begin() + static_cast<std::ptrdiff_t>(random() % under_way.size());
        Leg& leg = legs[*at];
        leg.cost = static_cast<double>(random() % 20);  // with equals
        paper.report(leg.trial, static_cast<std::size_t>(leg.rung), *leg.cost);
        under_way.erase(at);
      }
      // Every rung has had its share of the one below at least.
      std::map<int, int> came;
      for (const Leg& leg : legs) ++came[leg.rung];
      for (int rung = 1; rung < 4; ++rung) QVERIFY(came[rung] >= came[rung - 1] / eta);
    }
  }

  void medianByHand() {
    const StopRule rule{Kind::median, 100, 900, 3};
    std::vector<Leg> legs;
    for (std::size_t trial = 0; trial < 4; ++trial) legs.push_back({trial, 0, static_cast<double>(trial)});
    legs.push_back({9, 0, 100.0});
    QCOMPARE(verdict(rule, legs, 9, 0), Verdict::go_on);  // four others are too few
    legs.push_back({4, 0, 4.0});
    QCOMPARE(verdict(rule, legs, 9, 0), Verdict::stop);  // the median of 0 to 4 is 2
    legs.back().cost = 200;
    legs[4].cost = 2;
    QCOMPARE(verdict(rule, legs, 9, 0), Verdict::go_on);  // not worse than it
    legs[4].cost = 2.5;
    QCOMPARE(verdict(rule, legs, 9, 0), Verdict::stop);
    // At the next rung the others count by their means, this one by its best.
    legs[4].cost = 1;
    for (std::size_t trial = 0; trial < 5; ++trial)
      legs.push_back({trial, 1, 0.0});  // means 0, .5, 1, 1.5, 100
    legs.push_back({9, 1, 7.0});
    QCOMPARE(verdict(rule, legs, 9, 1), Verdict::go_on);
    legs[4].cost = 1.25;
    QCOMPARE(verdict(rule, legs, 9, 1), Verdict::stop);
    legs.push_back({10, 0, INFINITY});
    QCOMPARE(verdict(rule, legs, 10, 0), Verdict::stop);
    QVERIFY(!promotion(rule, legs));
  }

  // Between the two in the middle; and of nobody who has not come as far, nor of what came later.
  void theMedianIsOfThoseThatCameHere() {
    const StopRule rule{Kind::median, 100, 900, 3};
    std::vector<Leg> legs{{9, 0, 2.5}};
    for (std::size_t trial = 0; trial < 6; ++trial) legs.push_back({trial, 0, static_cast<double>(trial)});
    QCOMPARE(verdict(rule, legs, 9, 0), Verdict::go_on);  // the median of 0 to 5 is 2.5
    legs.front().cost = 2.6;
    QCOMPARE(verdict(rule, legs, 9, 0), Verdict::stop);
    for (std::size_t trial = 0; trial < 6; ++trial) legs.push_back({trial, 1, 1000.0});
    QCOMPARE(verdict(rule, legs, 9, 0), Verdict::stop);  // still at the first rung
    legs.push_back({9, 1, 100.0});
    legs.front().cost = 600;
    QCOMPARE(verdict(rule, legs, 9, 1), Verdict::go_on);  // means of 500 to 502.5, and 100
    legs.erase(legs.begin() + 7, legs.begin() + 9);
    legs.back().cost = 999;
    QCOMPARE(verdict(rule, legs, 9, 1), Verdict::go_on);  // only four others are here
  }

  // The members of a population wait for one another.
  void aPopulationPauses() {
    const StopRule rule{Kind::pbt, 100, 350, 3};
    QCOMPARE(verdict(rule, std::vector<Leg>{{0, 0, 1.0}}, 0, 0), Verdict::pause);
    const double expected[] = {100, 200, 300, 350, 350};
    for (int rung = 0; rung < 5; ++rung) QCOMPARE(*iterations_at(rule, rung), expected[rung]);
    QVERIFY(!is_last(rule, 2) && is_last(rule, 3));
  }

  void noneStopsNobody() {
    const std::vector<Leg> legs{{0, 0, 1.0}, {1, 0, 2.0}, {2, 0, 3.0}};
    QVERIFY(!promotion({}, legs));
    QCOMPARE(verdict({}, legs, 2, 0), Verdict::go_on);
  }
};

BATCHSCOPE_TEST(TestStopping)
#include "test_stopping.moc"
