// SPDX-License-Identifier: Apache-2.0
//
// Nodes from a command: how many are wanted, which of them may go, and what the command is told.
#include <algorithm>
#include <limits>

#include "node_supply.h"
#include "patience.h"
#include "rows.h"
#include "store_test.h"
#include "supplied.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::pool;
using namespace batchscope::storage::test;
using namespace batchscope::testing;

namespace {

using Nodes = std::set<std::string>;

// s. The time of these tests passes ten times as fast as a person's.
double now() { return 10 * protocol::monotonic_seconds(); }

}  // namespace

class TestSupply : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void asManyAsTheRunsNeed() {
    QCOMPARE(nodes_worth_having(on_nodes({}), 4, 2), 0);
    const World three = on_nodes({asks_for(1), asks_for(1), asks_for(2)});
    QCOMPARE(nodes_worth_having(three, 0, 2), 2);
    QCOMPARE(nodes_worth_having(three, 7, 2), 4);  // as it is advised
    QCOMPARE(nodes_worth_having(three, 1, 2), 2);  // and no fewer, where devices have no price
    QCOMPARE(nodes_worth_having(three, 0, 0), 1);  // the first tells what a node has
  }

  void whoRestsNeedsNone() {
    Member rests = asks_for(4);
    rests.standing = Standing::outside;
    Member elsewhere = asks_for(4);
    elsewhere.job.reset();
    QCOMPARE(nodes_worth_having(on_nodes({rests, elsewhere}), 0, 2), 0);
  }

  void aPriceAndALimitHold() {
    World three = on_nodes({asks_for(2), asks_for(2), asks_for(2)});
    three.settings.price_per_device_hour = 1;
    QCOMPARE(nodes_worth_having(three, 2, 2), 1);
    QCOMPARE(nodes_worth_having(three, 1, 2), 1);
    QCOMPARE(nodes_worth_having(three, 0, 2), 3);
    three.settings.devices = 4;
    QCOMPARE(nodes_worth_having(three, 0, 2), 2);
    three.settings.devices = 1;
    QCOMPARE(nodes_worth_having(three, 0, 2), 1);
  }

  void thisMachineCountsWhereItIsGivenAway() {
    const World own = on_nodes({asks_for(2), asks_for(1)}, {"cpu:0", "cpu:1", "n2/cpu:0"});
    QCOMPARE(nodes_worth_having(own, 0, 1), 1);
    QCOMPARE(nodes_worth_having(on_nodes({asks_for(2)}, {"cpu:0", "cpu:1"}), 0, 0), 0);
  }

  // Where one of them is to have GPUs, these are what counts.
  void gpusCountWhereSomebodyWantsThem() {
    Member gpu = asks_for(3);
    gpu.run.spec.device = "cuda";
    World world = on_nodes({gpu}, {"cpu:0", "cpu:1", "cpu:2", "cpu:3"});
    QCOMPARE(nodes_worth_having(world, 0, 1), 3);
    world.machine.gpus = {"cuda:0", "n2/cuda:0"};
    QCOMPARE(nodes_worth_having(world, 0, 1), 2);
    world.members.push_back(asks_for(1));
    QCOMPARE(nodes_worth_having(world, 0, 1), 3);
    world.members = {asks_for(3)};
    QCOMPARE(nodes_worth_having(world, 0, 1), 0);  // on cores there is room
    // The largest node that there was tells what the next one will have.
    NodeDemand demand(10);
    world.members = {gpu};
    world.machine.gpus = {"n2/cuda:0", "n3/cuda:0", "n3/cuda:1"};
    QCOMPARE(demand.update(world, 5, 0, 100), 3);
  }

  void demandRisesAtOnceAndFallsAfterItsPatience() {
    NodeDemand demand(10);
    const Names cores{"n2/cpu:0"};
    const World three = on_nodes({asks_for(1), asks_for(1), asks_for(1)}, cores),
                one = on_nodes({asks_for(1)}, cores);
    QCOMPARE(demand.update(three, 0, 0, 100), 3);
    QCOMPARE(demand.update(one, 0, 3, 101), 3);
    QCOMPARE(demand.update(on_nodes({asks_for(1), asks_for(1)}, cores), 0, 3, 105), 3);
    QCOMPARE(demand.update(one, 0, 3, 111), 2);  // the most of the last ten seconds
    QCOMPARE(demand.update(one, 0, 3, 122), 1);
    QCOMPARE(demand.update(three, 0, 1, 123), 3);
  }

  // Nodes that were asked for and have not come wait in somebody's queue: their place is kept.
  void whatWasAskedForIsWaitedFor() {
    NodeDemand demand(10);
    QCOMPARE(demand.update(on_nodes({asks_for(1), asks_for(1)}, {"n2/cpu:0"}), 0, 0, 100), 2);
    const World one = on_nodes({asks_for(1)});
    QCOMPARE(demand.update(one, 0, 0, 109), 2);
    QCOMPARE(demand.update(one, 0, 0, 110), 1);
  }

  // The patience is with what is needed less, from then on.
  void patienceBeginsWithTheFall() {
    const Names cores{"n2/cpu:0"};
    const World three = on_nodes({asks_for(1), asks_for(1), asks_for(1)}, cores),
                one = on_nodes({asks_for(1)}, cores);
    NodeDemand demand(10);
    for (const double now : {100, 108}) QCOMPARE(demand.update(three, 0, 3, now), 3);
    QCOMPARE(demand.update(one, 0, 3, 112), 3);
    QCOMPARE(demand.update(one, 0, 3, 117.9), 3);
    QCOMPARE(demand.update(one, 0, 3, 118), 1);
    NodeDemand keeps(std::numeric_limits<double>::infinity());
    QCOMPARE(keeps.update(three, 0, 3, 100), 3);
    for (const double now : {101, 1000, 100'000}) QCOMPARE(keeps.update(one, 0, 3, now), 3);
  }

  void aNewPoolKeepsTheNodesForAWhile() {
    NodeDemand demand(10);
    const World one = on_nodes({asks_for(1)}, {"n2/cpu:0", "n3/cpu:0", "n4/cpu:0"});
    QCOMPARE(demand.update(one, 0, 3, 100), 3);
    QCOMPARE(demand.update(one, 0, 3, 109), 3);
    QCOMPARE(demand.update(one, 0, 3, 110), 1);
  }

  void whatNobodyNeedsIsNotKeptForEver() {
    NodeDemand keeps(std::numeric_limits<double>::infinity());
    const Names cores{"n2/cpu:0"};
    QCOMPARE(keeps.update(on_nodes({asks_for(1)}, cores), 0, 1, 100), 1);
    QCOMPARE(keeps.update(on_nodes({}, cores), 0, 1, 399), 1);
    QCOMPARE(keeps.update(on_nodes({}, cores), 0, 1, 400), 0);
    QCOMPARE(keeps.update(on_nodes({asks_for(1)}, cores), 0, 0, 402), 1);
    QCOMPARE(keeps.update(on_nodes({}), 0, 0, 403), 0);  // only asked for, not there
  }

  void idleNodesGoFirst() {
    const Names nodes{"n4", "n2", "n3"};
    QCOMPARE(surplus_nodes(nodes, {"n4"}, 3), Names{});
    QCOMPARE(surplus_nodes(nodes, {"n4"}, 1), (Names{"n2", "n3"}));
    QCOMPARE(surplus_nodes(nodes, {"n2", "n3", "n4"}, 2), (Names{"n4"}));
    QCOMPARE(surplus_nodes(nodes, {}, 0), (Names{"n2", "n3", "n4"}));
  }

  void aNodeIsInUseUntilNobodyHasIt() {
    Member moves = asks_for(1, {"n2/cpu:0"});
    moves.reserved.push_back("n3/cpu:0");
    QCOMPARE(nodes_in_use(on_nodes({moves, asks_for(1, {"cpu:0"})}), {{"a", {"n4/cpu:1"}}}),
             (Nodes{"n2", "n3", "n4"}));
  }

  void theNodesAreReadALineEach() {
    const auto nodes = parse_offered_nodes("n2\n\n  n3=person@10.0.0.7 leaving \n");
    QCOMPARE(nodes.size(), 2u);
    QVERIFY(nodes[0] == (OfferedNode{{"n2", "n2"}, false}));
    QVERIFY(nodes[1] == (OfferedNode{{"n3", "person@10.0.0.7"}, true}));
    QVERIFY(parse_offered_nodes("").empty());
    VERIFY_THROWS("usage", "'n2 soon' is not a node", parse_offered_nodes("n2 soon"));
    VERIFY_THROWS("usage", "is not a node", parse_offered_nodes("n2 leaving n3"));
    VERIFY_THROWS("usage", "is not a node", parse_offered_nodes("-oProxyCommand=x"));
    VERIFY_THROWS("usage", "named twice", parse_offered_nodes("n2\nn2=other"));
  }

  void theCommandIsToldWhatIsWantedAndGivesNodes() {
    const Folder folder;
    NodeSupply supply;
    World one = on_nodes({asks_for(1)});
    one.settings.nodes_from =
        "f() { echo \"$@\" >> " + (folder / "told").string() + "; echo n2=127.0.0.2; echo n3 leaving; }; f";
    supply.tend(one, 0, {}, now());
    QVERIFY(!supply.agents());
    QTRY_COMPARE_WITH_TIMEOUT(supply.agents().value_or(""), std::string("n2=127.0.0.2"), kPatience);
    QCOMPARE(lines_of(folder / "told"), Names{"1"});
    QVERIFY(supply.owes());
    // Nobody has n3, so it may be taken away.
    const auto told = [&] {
      supply.tend(one, 0, {}, now());
      return lines_of(folder / "told");
    };
    QTRY_COMPARE_WITH_TIMEOUT(told(), (Names{"1", "1 n3"}), kPatience);
  }

  void aCommandThatFailsTakesNothingAway() {
    const Folder folder;
    NodeSupply supply;
    World one = on_nodes({asks_for(1)});
    one.settings.nodes_from = "mkdir " + (folder / "once").string() +
                              " 2>/dev/null && echo n2 || { echo one >&2; echo no answer >&2; exit 3; } #";
    const auto trouble = [&] {
      one.settings.agents = supply.agents().value_or("");
      supply.tend(one, 0, {}, now());
      return supply.trouble();
    };
    QTRY_COMPARE_WITH_TIMEOUT(trouble(), std::string("ended with exit code 3: no answer"), kPatience);
    QCOMPARE(supply.agents().value_or(""), std::string("n2"));
    QVERIFY(supply.owes());
  }

  // In a clause, for a person.
  void whatIsWrongWithTheCommandIsTold_data() {
    const auto row = columns<std::string, std::string>({"command", "trouble"});
    row("no nodes", "echo a b c #",
        "printed something else than nodes: 'a b c' is not a node: write NAME, NAME=HOST, or one of them and "
        "leaving");
    row("nothing", "exit 2 #", "ended with exit code 2");
    row("the usual code", "exit 1 #", "ended with exit code 1");
    row("its last words", "echo a; echo b; echo; exit 2 #", "ended with exit code 2: b");
    row("its complaint", "echo a; echo b >&2; exit 2 #", "ended with exit code 2: b");
    row("a signal", "kill -9 $$ #", "was killed by a signal");
    row("a note", "echo n2; echo few are left >&2 #", "says: few are left");
    row("a long complaint", "printf '%0400d' 0 >&2; exit 2 #",
        "ended with exit code 2: " + std::string(300, '0'));
    row("a control", "printf 'a\\033b' >&2; exit 2 #", "ended with exit code 2: a b");
  }
  void whatIsWrongWithTheCommandIsTold() {
    QFETCH(const std::string, command);
    QFETCH(const std::string, trouble);
    NodeSupply supply;
    World one = on_nodes({asks_for(1)});
    one.settings.nodes_from = command;
    supply.tend(one, 0, {}, now());
    QTRY_VERIFY_WITH_TIMEOUT(!supply.trouble().empty(), kPatience);
    QCOMPARE(supply.trouble(), trouble);
    // Another command is told nothing of the one before.
    one.settings.nodes_from = "echo n5 #";
    supply.tend(one, 0, {}, now());
    QVERIFY(supply.trouble().empty() && supply.owes());
    QTRY_COMPARE_WITH_TIMEOUT(supply.agents().value_or(""), std::string("n5"), kPatience);
    one.settings.nodes_from.clear();
    supply.tend(one, 0, {}, now());
    QVERIFY(!supply.agents() && !supply.owes());
  }

  // It is told of a node only when no run has it; and nodes that the runs need no more are given back, the
  // last by name first.
  void whatNobodyWantsIsGivenBack() {
    qputenv("BATCHSCOPE_IDLE_NODES", "0");
    const Folder folder;
    NodeSupply supply;
    World world = on_nodes({asks_for(1, {"n3/cpu:0"}), asks_for(1)}, {"n2/cpu:0", "n3/cpu:0"});
    write_file(folder / "nodes", "n2\nn3 leaving\n");
    world.settings.nodes_from = "f() { cat " + (folder / "nodes").string() + "; echo \"$@\" >> " +
                                (folder / "told").string() + "; }; f";
    const auto told = [&](const std::string& line) {
      supply.tend(world, 0, {}, now());
      const Names all = lines_of(folder / "told");
      return std::ranges::find(all, line) != all.end();
    };
    const auto agents = [&] {
      supply.tend(world, 0, {}, now());
      return supply.agents().value_or("none");
    };
    QTRY_COMPARE_WITH_TIMEOUT(agents(), std::string("n2"), kPatience);
    QVERIFY(told("2"));
    for (const std::string& line : lines_of(folder / "told"))
      QCOMPARE(line, std::string("2"));  // a run has n3
    write_file(folder / "nodes", "n2\nn4\n");
    world.members.front() = asks_for(1);
    QTRY_VERIFY_WITH_TIMEOUT(told("2 n3"), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(agents(), std::string("n2,n4"), kPatience);
    world.machine.cores = {"n2/cpu:0", "n4/cpu:0"};
    world.members.pop_back();
    QTRY_VERIFY_WITH_TIMEOUT(told("1 n4"), kPatience);
    QCOMPARE(supply.agents().value_or(""), std::string("n2"));
    write_file(folder / "nodes", "");
    world.settings.nodes_ending = true;  // whatever its runs need
    QTRY_VERIFY_WITH_TIMEOUT(told("0 n2 n4"), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(agents(), std::string(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!supply.owes(), kPatience);
    qunsetenv("BATCHSCOPE_IDLE_NODES");
  }

  // A pool before this one may have had them.
  void nodesThatAreKnownAreOwed() {
    NodeSupply supply;
    World one = on_nodes({asks_for(1)});
    one.settings.nodes_from = "exit 3 #";
    one.settings.agents = "n2";
    supply.tend(one, 0, {}, now());
    QTRY_VERIFY_WITH_TIMEOUT(!supply.trouble().empty(), kPatience);
    QVERIFY(supply.owes());
  }

  void whoeverNeverHadNodesOwesNone() {
    NodeSupply supply;
    World one = on_nodes({asks_for(1)});
    one.settings.nodes_from = "/no/such/command";
    supply.tend(one, 0, {}, now());
    QTRY_VERIFY_WITH_TIMEOUT(supply.trouble().find("exit code 127") != std::string::npos, kPatience);
    QVERIFY(!supply.owes());
    World none = on_nodes({});
    none.settings.nodes_from = "true";
    supply.tend(none, 0, {}, now());
    QVERIFY(supply.owes());  // until it has said so
    QTRY_VERIFY_WITH_TIMEOUT(!supply.owes(), kPatience);
  }
};

BATCHSCOPE_TEST(TestSupply)
#include "test_supply.moc"
