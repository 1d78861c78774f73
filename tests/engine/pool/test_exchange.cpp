// SPDX-License-Identifier: Apache-2.0
//
// Runs that wait for one another's devices: who gives way, and that nobody does where the others can wait.
#include "exchange.h"

#include "rows.h"
#include "test_case.h"

using namespace batchscope::pool;

using Moves = std::vector<WaitingMove>;

class TestExchange : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void whoGivesWay_data() {
    const auto row = batchscope::testing::columns<Moves, QString>({"moves", "run"});
    row("nobody waits", {}, "");
    row("one waits for somebody who does not move", {{"a", {"cpu:0"}, {"cpu:1"}}}, "");
    row("one that grows waits for nobody but itself", {{"a", {"cpu:0"}, {"cpu:0", "cpu:1"}}}, "");
    row("a chain: the last one goes first", {{"a", {"1"}, {"2"}}, {"b", {"2"}, {"3"}}}, "");
    row("two change places", {{"a", {"1", "2"}, {"3"}}, {"b", {"3"}, {"1", "2"}}}, "b");
    row("the first of equals", {{"a", {"1"}, {"2"}}, {"b", {"2"}, {"1"}}}, "a");
    row("three in a circle",
        {{"a", {"1", "2"}, {"5"}}, {"b", {"5", "6"}, {"1", "2", "3", "4"}}, {"c", {"3", "4"}, {"6"}}}, "a");
    row("one of two that it waits for", {{"a", {"1"}, {"2", "3"}}, {"b", {"2"}, {"9"}}, {"c", {"3"}, {"1"}}},
        "a");
    row("the other one", {{"a", {"1"}, {"2", "3"}}, {"b", {"2"}, {"1"}}, {"c", {"3"}, {"9"}}}, "a");
    row("one before a circle stays",
        {{"x", {"9"}, {"1"}}, {"a", {"1", "2"}, {"3", "4"}}, {"b", {"3", "4"}, {"1"}}}, "a");
  }

  void whoGivesWay() {
    QFETCH(const Moves, moves);
    const auto found = gives_way(moves);
    QTEST(QString::fromStdString(found.value_or("")), "run");
  }

  // Whoever gave way has no devices any more, and the others move until nobody waits.
  void everybodyArrives() {
    Moves moves{{"a", {"1", "2"}, {"5"}}, {"b", {"5", "6"}, {"1", "2", "3", "4"}}, {"c", {"3", "4"}, {"6"}}};
    for (int turn = 0; turn < 10; ++turn) {
      if (const auto run = gives_way(moves))
        std::find_if(moves.begin(), moves.end(), [&](const auto& move) {
          return move.run == *run;
        })->held.clear();
      for (WaitingMove& move : moves) {
        const bool isFree = std::all_of(moves.begin(), moves.end(), [&](const WaitingMove& other) {
          return &other == &move ||
                 std::none_of(move.target.begin(), move.target.end(), [&](const auto& device) {
                   return std::find(other.held.begin(), other.held.end(), device) != other.held.end();
                 });
        });
        if (isFree) move.held = move.target;
      }
    }
    for (const WaitingMove& move : moves) QCOMPARE(move.held, move.target);
  }
};

BATCHSCOPE_TEST(TestExchange)
#include "test_exchange.moc"
