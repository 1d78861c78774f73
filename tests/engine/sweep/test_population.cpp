// SPDX-License-Identifier: Apache-2.0
//
// Population based training: who takes whose place, and what changes.
#include "batchscope/sweep/population.h"

#include <cmath>
#include <set>

#include "spaces.h"
#include "test_case.h"

using namespace batchscope::sweep;
using namespace batchscope::testing;

namespace {

std::vector<Member> population(const Point& point, int size) {
  std::vector<Member> members;
  for (int i = 0; i < size; ++i) members.push_back({point, static_cast<double>(i)});
  return members;
}

}  // namespace

class TestPopulation : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // The two worst of ten take the place of the two best.
  void theWorstTakeTheBestsPlace() {
    const Space space({real("lr", 1e-4, 1, true)});
    const auto members = population({0.01}, 10);
    std::set<std::size_t> from;
    for (std::size_t interval = 0; interval < 30; ++interval) {
      for (std::size_t member = 0; member < 8; ++member)
        QVERIFY(!exploit(space, members, member, interval, 1));
      for (std::size_t member = 8; member < 10; ++member) {
        const auto answer = exploit(space, members, member, interval, 1);
        QVERIFY(answer);
        from.insert(answer->from);
        QCOMPARE(exploit(space, members, member, interval, 1)->point, answer->point);
      }
    }
    QCOMPARE(from, (std::set<std::size_t>{0, 1}));
  }

  // Each decision draws for itself: of whom, and of which interval, it is.
  void noTwoDecisionsDrawTheSame() {
    const Space space({real("lr", 1e-4, 1, true)});
    const auto members = population({0.01}, 10);
    std::set<double> drawn;
    for (std::size_t interval = 0; interval < 50; ++interval)
      for (const std::size_t member : {8u, 9u})
        drawn.insert(*exploit(space, members, member, interval, 1, {0.2, 1})->point[0]);
    QCOMPARE(drawn.size(), std::size_t{100});
  }

  // One that goes on after an update, or on another machine, draws what it would have drawn.
  void theDrawsOfASeedStay() {
    const Space space({real("lr", 1e-4, 1, true)});
    std::string drawn;
    for (const std::size_t interval : {1u, 2u})
      for (const std::size_t member : {8u, 9u}) {
        const auto answer = exploit(space, population({0.01}, 10), member, interval, 3, {0.2, 1});
        drawn += std::to_string(answer->from) + " " + space.texts(answer->point).at("lr") + "; ";
      }
    QCOMPARE(drawn, "0 0.1519683; 0 0.6166045; 1 0.01709724; 0 0.001432906; ");
  }

  void oneAtLeastIsReplaced() {
    const Space space({real("x", 0, 1)});
    for (const int size : {4, 5, 7}) {
      int count = 0;
      for (int member = 0; member < size; ++member)
        count += exploit(space, population({0.5}, size), static_cast<std::size_t>(member), 0, 1, {0.1, 0})
                     .has_value();
      QCOMPARE(count, 1);
    }
  }

  // At most two of five members, one of three.
  void atMostHalfIsReplaced() {
    const Space space({real("x", 0, 1)});
    for (const auto& [size, replaced] : {std::pair{5, 2}, {3, 1}, {2, 1}, {4, 2}})
      for (const double share : {0.5, 1.0}) {
        const auto members = population({0.5}, size);
        int count = 0;
        for (int member = 0; member < size; ++member)
          count += exploit(space, members, static_cast<std::size_t>(member), 0, 1, {share, 0}).has_value();
        QCOMPARE(count, replaced);
      }
  }

  void numbersMoveByAFifth() {
    const Space space({real("lr", 1e-4, 1, true), choice("rule", {"adam", "sgd"}), integer("n", 1, 100)});
    const auto members = population({0.01, 1.0, 2.0}, 4);
    std::set<std::string> seen;
    for (std::size_t interval = 0; interval < 50; ++interval) {
      const Point point = exploit(space, members, 3, interval, 1, {0.25, 0})->point;
      const Texts texts = space.texts(point);
      seen.insert(texts.at("lr") + " " + texts.at("rule") + " " + texts.at("n"));
    }
    // 0.8 or 1.2 of 2 is 2 again: then the next value.
    QCOMPARE(seen, (std::set<std::string>{"0.008 sgd 1", "0.008 sgd 3", "0.012 sgd 1", "0.012 sgd 3"}));
  }

  void whatIsDrawnAnewIsOfTheAxis() {
    const Space space = mixed_space();
    std::set<std::string> rules;
    auto members =
        population(space.point([&](std::size_t i) { return space.parameters()[i].at_share(0); }), 3);
    for (std::size_t interval = 0; interval < 200; ++interval) {
      const auto answer = exploit(space, members, 2, interval, 9, {0.34, 1});
      QVERIFY(answer);
      const Texts texts = space.texts(answer->point);
      QCOMPARE(space.point(texts), answer->point);  // a point of the space, with its conditions
      rules.insert(texts.at("optimizer"));
      members[0].point = answer->point;
    }
    QCOMPARE(rules.size(), std::size_t{3});
  }

  // At the ends of its range, and at 0, a number still moves.
  void nothingIsStuck() {
    const Space space({real("x", 0, 1), integer("n", 1, 4)});
    for (std::size_t interval = 0; interval < 50; ++interval) {
      const Point point = exploit(space, population({0.0, 4.0}, 2), 1, interval, 1, {0.5, 0})->point;
      QVERIFY(*point[0] > 0);
      QCOMPARE(*point[1], 3.0);
    }
  }

  // A fifth of two is too little for a whole number.
  void aSmallNumberMovesToTheNextOne() {
    const Space space({integer("n", -5, 9)});
    std::set<double> seen;
    for (std::size_t interval = 0; interval < 50; ++interval)
      seen.insert(*exploit(space, population({2.0}, 2), 1, interval, 1, {0.5, 0})->point[0]);
    QCOMPARE(seen, (std::set<double>{1, 3}));
  }

  void whereNobodyIsBetterAllStay() {
    const Space space({real("x", 0, 1)});
    QVERIFY(!exploit(space, population({0.5}, 1), 0, 0, 1));
    std::vector<Member> equal = population({0.5}, 5);
    for (Member& member : equal) member.cost = 1;
    for (std::size_t member = 0; member < 5; ++member) QVERIFY(!exploit(space, equal, member, 0, 1));
    equal[2].cost = INFINITY;  // it diverged
    QVERIFY(exploit(space, equal, 2, 0, 1));
  }
};

BATCHSCOPE_TEST(TestPopulation)
#include "test_population.moc"
