// SPDX-License-Identifier: Apache-2.0
//
// The calls of a command for nodes: when it is called, how long it may take, and what it is called with.
#include "node_supply.h"
#include "patience.h"
#include "standard_error.h"
#include "store_test.h"
#include "supplied.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::pool;
using namespace batchscope::storage::test;
using namespace batchscope::testing;

class TestSupplyCalls : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = {};
    supply_ = std::make_unique<NodeSupply>();
    world_ = on_nodes({asks_for(1)});
  }
  void cleanup() { supply_.reset(); }

  // Every five seconds, and after one where there is something new to say.
  void itIsCalledEveryFiveSeconds() {
    says("echo n2");
    tend(100);
    QTRY_COMPARE_WITH_TIMEOUT(agents(), "n2", kPatience);
    tend(104.9);
    settle();
    QTRY_COMPARE_WITH_TIMEOUT(told_at(105), (Names{"1", "1"}), kPatience);
    world_.members.push_back(asks_for(1));
    world_.machine.cores = {"n2/cpu:0"};
    tend(105.9);
    settle();
    QTRY_COMPARE_WITH_TIMEOUT(told_at(106), (Names{"1", "1", "2"}), kPatience);
  }

  void itHasAMinute() {
    says("sleep 100; echo n2");
    tend(100);
    QTRY_COMPARE_WITH_TIMEOUT(told().size(), 1u, kPatience);
    tend(160);
    settle();
    QCOMPARE(supply_->trouble(), "");
    tend(160.1);
    QTRY_COMPARE_WITH_TIMEOUT(supply_->trouble(), "has not ended within 60 s", kPatience);
    world_.settings.nodes_from = "kill -9 $$ #";
    const StandardError said;
    tend(161);
    QTRY_COMPARE_WITH_TIMEOUT(supply_->trouble(), "was killed by a signal", kPatience);
    QCOMPARE(said.count("cannot be started"), 0);
  }

  // All that it starts can be ended with it, and it waits for nobody's input.
  void itHasASessionOfItsOwn() {
    world_.settings.nodes_from =
        "cat; test \"$(cut -d ' ' -f 6 /proc/$$/stat)\" = $$ && echo n2 || echo n3 #";
    tend(100);
    QTRY_VERIFY_WITH_TIMEOUT(supply_->agents(), kPatience);
    QCOMPARE(agents(), "n2");
  }

  void whatIsWrongIsSaidOnce() {
    const StandardError said;
    says("exit 2");
    for (const double time : {100, 105}) {
      QTRY_COMPARE_WITH_TIMEOUT(told_at(time).size(), time > 100 ? 2u : 1u, kPatience);
      QTRY_COMPARE_WITH_TIMEOUT(supply_->trouble(), "ended with exit code 2", kPatience);
      settle();
    }
    QCOMPARE(said.count("the command for nodes ("), 1);
    QCOMPARE(said.count("ended with exit code 2"), 1);
    says("echo n2");
    QTRY_COMPARE_WITH_TIMEOUT((tend(106), agents()), "n2", kPatience);
    QCOMPARE(said.count("the command for nodes ("), 1);
  }

  // It was asked for one, which may come yet, whatever it says now.
  void whatWasAskedForIsOwed() {
    says("mkdir " + (folder_ / "once").string() + " || exit 2");
    tend(100);
    QTRY_VERIFY_WITH_TIMEOUT(supply_->agents(), kPatience);
    QVERIFY(supply_->owes());
    tend(105);
    QTRY_COMPARE_WITH_TIMEOUT(supply_->trouble().substr(0, 22), "ended with exit code 2", kPatience);
    QVERIFY(supply_->owes());
  }

  // When it has none any more and none are wanted, it is asked nothing more.
  void whatWasGivenBackIsNotOwed() {
    says("test $1 = 0 || echo n2");
    tend(100);
    QTRY_COMPARE_WITH_TIMEOUT(agents(), "n2", kPatience);
    world_.settings.nodes_ending = true;
    tend(101);
    QVERIFY(supply_->owes());
    QTRY_VERIFY_WITH_TIMEOUT(!supply_->owes(), kPatience);
    QCOMPARE(agents(), "");
    QCOMPARE(told(), (Names{"1", "0 n2"}));
    tend(200);
    settle();
    QCOMPARE(told().size(), 2u);
  }

  // Another command has nodes of its own: one of the same name is not the one that was given back.
  void anotherCommandBeginsAnew() {
    qputenv("BATCHSCOPE_IDLE_NODES", "0");
    supply_ = std::make_unique<NodeSupply>();
    qunsetenv("BATCHSCOPE_IDLE_NODES");
    says("echo n2; echo n3");
    tend(100);
    QTRY_COMPARE_WITH_TIMEOUT(agents(), "n2,n3", kPatience);
    tend(105);
    QTRY_COMPARE_WITH_TIMEOUT(agents(), "n2", kPatience);
    says("echo n3");
    QTRY_COMPARE_WITH_TIMEOUT((tend(106), agents()), "n3", kPatience);
  }

 private:
  // The command writes down what it was told.
  void says(const std::string& commands) {
    world_.settings.nodes_from =
        "f() { echo \"$@\" >> " + (folder_ / "told").string() + "; " + commands + "; }; f";
  }
  void tend(double now) { supply_->tend(world_, 0, {}, now); }
  std::string agents() const { return supply_->agents().value_or("none"); }
  // Asks until it is called, where a call before has not ended yet.
  Names told_at(double now) {
    tend(now);
    return told();
  }
  Names told() const { return lines_of(folder_ / "told"); }

  // Waits for as long as a call takes.
  void settle() {
    NodeSupply other;
    World one = on_nodes({asks_for(1)});
    one.settings.nodes_from = "sleep 0.05; echo n2 #";
    other.tend(one, 0, {}, 100);
    QTRY_VERIFY_WITH_TIMEOUT(other.agents(), kPatience);
  }

  Folder folder_;
  std::unique_ptr<NodeSupply> supply_;
  World world_;
};

BATCHSCOPE_TEST(TestSupplyCalls)
#include "test_supply_calls.moc"
