// SPDX-License-Identifier: Apache-2.0
//
// The pool's plan from a decision: names of devices, who stays where he is, and what is told of it.
#include "plan.h"

#include "place_text.h"
#include "planned.h"
#include "rows.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::pool;
using namespace batchscope::testing;

namespace {

using Devices = std::vector<std::string>;

}  // namespace

class TestPlan : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // A run of whose model nothing is known yet, too.
  void eachPolicySharesAmongNewRuns() {
    for (const char* policy : protocol::kPoolPolicies) {
      World two = world({member("a", 2), member("b", 2)}, 2);
      two.settings.policy = policy;
      const Plan plan = make_plan(two, Scope::round);
      QCOMPARE(plan.decision.policy, policy);
      QCOMPARE(plan.targets.at("a").size() + plan.targets.at("b").size(),
               2u);  // to some it is the same to whom
      if (policy == std::string("fair") || policy == std::string("fast"))
        QCOMPARE(plan.targets.at("a").size(), 1u);
    }
  }

  void aRunGetsWhatItMayHave() {
    const Plan plan = make_plan(world({member("a", 2)}, 4), Scope::round);
    QCOMPARE(plan.targets.at("a"), (Devices{"cpu:0", "cpu:1"}));
    QCOMPARE(plan.decision.idle, (Devices{"cpu:2", "cpu:3"}));
    QCOMPARE(plan.decision.choices.size(), 1u);
    QCOMPARE(plan.decision.choices[0].before, 0);
    QCOMPARE(plan.decision.choices[0].why, std::string("worth"));
  }

  void nobodyGoesBeyondTwiceWhatItHasSeen() {
    Member young = member("a", 4);
    young.max_profiled = 0;
    QCOMPARE(make_plan(world({young}, 4), Scope::round).targets.at("a").size(), 1u);
    young.max_profiled = 1;
    QCOMPARE(make_plan(world({young}, 4), Scope::round).targets.at("a").size(), 2u);
  }

  void whatNeedNotMoveStays() {
    const Plan plan = make_plan(world({member("a", 2, {"cpu:0", "cpu:1"}), member("b")}), Scope::round);
    QCOMPARE(plan.targets.at("a").size() + plan.targets.at("b").size(), 2u);
    const Plan one = make_plan(world({member("a", 1, {"cpu:1"}), member("b", 1)}), Scope::round);
    QCOMPARE(one.targets.at("a"), (Devices{"cpu:1"}));
    QCOMPARE(one.targets.at("b"), (Devices{"cpu:0"}));
  }

  void betweenRoundsOnlyWhatIsFreeIsGivenAway() {
    const World with_a_free_one = world({member("a", 2, {"cpu:0", "cpu:1"}), member("b", 2)}, 3);
    const Plan plan = make_plan(with_a_free_one, Scope::free_devices);
    QVERIFY(!plan.targets.contains("a"));
    QCOMPARE(plan.targets.at("b"), (Devices{"cpu:2"}));
    QCOMPARE(plan.decision.choices[0].reason, std::string("as it was"));
    const Plan full =
        make_plan(world({member("a", 2, {"cpu:0", "cpu:1"}), member("b")}), Scope::free_devices);
    QCOMPARE(full.targets.at("b"), Devices{});
  }

  void whoKeepsHisDevicesIsLeftAlone() {
    const Plan plan = make_plan(world({member("a", 4), fixed("p", {"cpu:0", "cpu:2"})}, 4), Scope::round);
    QCOMPARE(plan.targets.at("a"), (Devices{"cpu:1", "cpu:3"}));
    QVERIFY(!plan.targets.contains("p"));
    const protocol::PoolChoice& pinned = plan.decision.choices[1];
    QCOMPARE(pinned.devices, (Devices{"cpu:0", "cpu:2"}));
    QCOMPARE(pinned.why, std::string("fixed"));
    QCOMPARE(pinned.reason, std::string("was started on devices of its own"));
  }

  void devicesOfOtherNodesAreGivenAwayToo() {
    const auto of = [](std::vector<Member> members) {
      World two = world(members, 2);
      for (const char* core : {"n2/cpu:0", "n2/cpu:1"}) two.machine.cores.push_back(core);
      return make_plan(two, Scope::round);
    };
    // A run with as many devices as before stays on its node.
    const Plan apart = of({member("a", 2, {"n2/cpu:1", "n2/cpu:0"}), member("b", 2)});
    QCOMPARE(apart.targets.at("a"), (Devices{"n2/cpu:1", "n2/cpu:0"}));
    QCOMPARE(apart.targets.at("b"), (Devices{"cpu:0", "cpu:1"}));
    QVERIFY(apart.decision.idle.empty());
    VERIFY_HOLDS(apart.decision.choices[0].reason, "; stays on n2");
    VERIFY_HOLDS(apart.decision.choices[1].reason, "; on the pool's machine");
    const Plan spread = of({member("a", 4)});
    QCOMPARE(spread.targets.at("a"), (Devices{"cpu:0", "cpu:1", "n2/cpu:0", "n2/cpu:1"}));
    VERIFY_HOLDS(spread.decision.choices[0].reason,
                 "; on the pool's machine and n2, as no node has 4 devices");
  }

  void whyARunIsWhereItIs_data() {
    const auto row = testing::columns<QString, QString, QString, QString>({"held", "given", "all", "text"});
    const QString two = "n2/cpu:0 n2/cpu:1 n3/cpu:0 n3/cpu:1";
    row("alone", "cpu:0", "cpu:1", "cpu:0 cpu:1", "");
    row("waits", "n2/cpu:0", "", two, "");
    row("begins", "", "n2/cpu:0", two, "on n2");
    row("stays", "n2/cpu:0", "n2/cpu:1", two, "stays on n2");
    row("moves", "n2/cpu:0", "n3/cpu:0", two, "goes from n2 to n3");
    row("node lost", "n4/cpu:0", "n3/cpu:0", two, "goes from n4 to n3, as a node of it is taken away");
    row("gathers", "n2/cpu:0 n3/cpu:0", "n3/cpu:0 n3/cpu:1", two, "now only on n3, where all of it has room");
    row("shrinks", "n2/cpu:0 n3/cpu:0", "n3/cpu:0", two, "now only on n3");
    row("spread for lack of room", "n2/cpu:0", "n2/cpu:0 n3/cpu:0", two,
        "on n2 and n3, as no node has 2 devices free");
    row("spread by its size", "", "n2/cpu:0 n2/cpu:1 n3/cpu:0", two,
        "on n2 and n3, as no node has 3 devices");
    row("three nodes", "", "cpu:0 n2/cpu:0 n3/cpu:0", "cpu:0 n2/cpu:0 n3/cpu:0",
        "on the pool's machine, n2 and n3, as no node has 3 devices");
  }
  void whyARunIsWhereItIs() {
    const auto devices = [](const QString& words) {
      Devices devices;
      for (const QString& word : words.split(' ', Qt::SkipEmptyParts)) devices.push_back(word.toStdString());
      return devices;
    };
    QFETCH(QString, held);
    QFETCH(QString, given);
    QFETCH(QString, all);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(place_text(devices(held), devices(given), devices(all))), text);
  }

  void gpusOfOtherNodesAreGpus() {
    Member gpu = member("a", 2, {"n2/cuda:1"});
    gpu.run.spec.device = "cuda";
    World two = world({gpu}, 2);
    two.machine.gpus = {"cuda:0", "n2/cuda:0", "n2/cuda:1"};
    QCOMPARE(make_plan(two, Scope::round).targets.at("a"), (Devices{"n2/cuda:1", "n2/cuda:0"}));
  }

  void aCoreInTwoHandsIsCountedOnce() {
    const Plan plan = make_plan(world({member("a", 1, {"cpu:0"}), fixed("p", {"cpu:0"})}), Scope::round);
    QCOMPARE(plan.targets.at("a"), (Devices{"cpu:1"}));
  }

  // Pausing it would give nobody anything.
  void whatOthersHaveTooIsKeptWhereNothingElseIsFree() {
    Member alone = member("a", 1, {"cpu:0"});
    for (const Scope scope : {Scope::round, Scope::free_devices}) {
      const Plan plan = make_plan(world({alone, member("b", 1), fixed("hog", {"cpu:0", "cpu:1"})}), scope);
      if (scope == Scope::round) {
        QCOMPARE(plan.targets.at("a"), (Devices{"cpu:0"}));
        QCOMPARE(plan.decision.choices[0].reason, std::string("shares cpu:0 with hog"));
      } else {
        QVERIFY(!plan.targets.contains("a"));
      }
      QCOMPARE(plan.targets.at("b"), Devices{});
    }
    alone.to_be_paused = true;
    alone.standing = Standing::outside;
    QCOMPARE(make_plan(world({alone, fixed("hog", {"cpu:0"})}), Scope::round).targets.at("a"), Devices{});
  }

  void whatThePoolMayNotGiveAwayIsGivenBack() {
    World limited = world({member("a", 2, {"cpu:1"}), member("b", 2, {"cpu:0"})});
    limited.settings.devices = 1;
    const Plan plan = make_plan(limited, Scope::round);
    QCOMPARE(plan.targets.at("a").size() + plan.targets.at("b").size(), 1u);
    for (const auto& [run, devices] : plan.targets)
      if (!devices.empty()) QCOMPARE(devices, (Devices{"cpu:0"}));
    limited = world({fixed("p", {"cpu:0", "cpu:1"}), member("b")});
    limited.settings.devices = 1;
    QCOMPARE(make_plan(limited, Scope::round).targets.at("b"), Devices{});
  }

  void ofEqualsTheFirstOfTheQueue() {
    const Plan plan = make_plan(world({member("a"), member("b"), member("c"), member("d")}), Scope::round);
    QCOMPARE(plan.targets.at("a").size() + plan.targets.at("b").size(), 2u);
    QVERIFY(plan.targets.at("c").empty() && plan.targets.at("d").empty());
  }

  void priorityGoesFirst() {
    Member urgent = member("c");
    urgent.job->priority = 1;
    const Plan plan = make_plan(world({member("a"), member("b"), urgent}, 1), Scope::round);
    QCOMPARE(plan.targets.at("c").size(), 1u);
  }

  void whoHasWaitedLongestIsServed() {
    Member patient = member("b");
    patient.waiting_since = 1000 - 3 * 30;
    World turns = world({member("a", 1, {"cpu:0"}), patient}, 1);
    const Plan plan = make_plan(turns, Scope::round);
    QCOMPARE(plan.targets.at("a"), Devices{});
    QCOMPARE(plan.targets.at("b"), (Devices{"cpu:0"}));
    QCOMPARE(plan.decision.choices[1].why, std::string("turn"));
    turns.settings.turn = 3600;
    QCOMPARE(make_plan(turns, Scope::round).targets.at("a"), (Devices{"cpu:0"}));
  }

  void turnsAreLongWhereRestartsAre() {
    Member slow = member("a", 1, {"cpu:0"}), patient = member("b");
    slow.pause = 10;
    slow.restarts = 1;
    patient.waiting_since = 1000 - 100;
    QCOMPARE(make_plan(world({slow, patient}, 1), Scope::round).targets.at("a"), (Devices{"cpu:0"}));
    slow.pause = 0.1;
    QCOMPARE(make_plan(world({slow, patient}, 1), Scope::round).targets.at("a"), Devices{});
  }

  void aFixedNumberIsHadWholeOrNotAtAll() {
    Member two = member("a");
    two.run.spec.auto_replicas.reset();
    two.run.spec.replicas = 2;
    QCOMPARE(make_plan(world({two}), Scope::round).targets.at("a").size(), 2u);
    const Plan plan = make_plan(world({two, fixed("p", {"cpu:0"})}), Scope::round);
    QCOMPARE(plan.targets.at("a"), Devices{});
    QCOMPARE(plan.decision.choices[0].why, std::string("waits"));
    QCOMPARE(make_plan(world({two}, 1), Scope::round).decision.choices[0].why, std::string("impossible"));
  }

  // A run whose devices lie on two nodes could not train.
  void aReplicaIsOnOneNode() {
    const auto given = [](int here, int there, int of_each) {
      Member big = member("a", 1);
      big.run.spec.devices_per_replica = of_each;
      World two = world({big}, here);
      for (int core = 0; core < there; ++core) two.machine.cores.push_back("n2/cpu:" + std::to_string(core));
      return make_plan(two, Scope::round).targets.at("a");
    };
    QCOMPARE(given(1, 2, 2), (Devices{"n2/cpu:0", "n2/cpu:1"}));
    QCOMPARE(given(2, 2, 3), Devices{});
    Member big = member("a", 1);
    big.run.spec.devices_per_replica = 3;
    World two = world({big}, 2);
    for (const char* core : {"n2/cpu:0", "n2/cpu:1"}) two.machine.cores.push_back(core);
    const protocol::PoolChoice choice = make_plan(two, Scope::round).decision.choices[0];
    QCOMPARE(choice.why, std::string("impossible"));
    QCOMPARE(choice.reason, std::string("cannot train on any device here"));
  }

  // Also where the fair share is fewer devices than a replica has.
  void noReplicaHasAPartOfItsDevices() {
    for (const char* policy : protocol::kPoolPolicies)
      for (const int cores : {3, 4, 5, 7}) {
        World three = world({member("a", 2), member("b", 2), member("c", 2)}, cores);
        for (Member& big : three.members) big.run.spec.devices_per_replica = 2;
        three.settings.policy = policy;
        std::size_t given = 0;
        for (const auto& [run, devices] : make_plan(three, Scope::round).targets) {
          QVERIFY2(devices.size() % 2 == 0, policy);
          given += devices.size();
        }
        QVERIFY2(given > 0, policy);
      }
  }

  // As one from a program that does not know its own batch size.
  void aModelThatTellsNothingIsNone() {
    Member strange = ends_in(300, "a");
    strange.model->init_batch_size = 0;
    QCOMPARE(make_plan(world({strange}), Scope::round).targets.at("a"), Devices{"cpu:0"});
  }

  void whatARunHasSaysOfWhichKindItIs() {
    Member any = member("a", 2, {"cpu:1"});
    any.run.spec.device = "auto";
    World both = world({any});
    both.machine.gpus = {"cuda:0", "cuda:1"};
    QCOMPARE(make_plan(both, Scope::round).targets.at("a"), (Devices{"cpu:1", "cpu:0"}));
    both.members[0].held = both.members[0].reserved = {"cuda:1"};
    QCOMPARE(make_plan(both, Scope::round).targets.at("a"), (Devices{"cuda:1", "cuda:0"}));
  }

  void whoWaitsForNodesIsTold() {
    Member two = member("a");
    two.run.spec.auto_replicas.reset();
    two.run.spec.replicas = 2;
    World one = world({two}, 1);
    one.settings.nodes_from = "bring";
    const auto choice = [&] { return make_plan(one, Scope::round).decision.choices[0]; };
    QCOMPARE(choice().why, std::string("waits"));
    QCOMPARE(choice().reason,
             std::string("waits for nodes: more were asked for (batchscope pool --nodes-from)"));
    one.nodes_trouble = "none are free";
    QCOMPARE(choice().reason, std::string("waits for nodes: none are free"));
  }

  // Between rounds, whatever was said of its start is over.
  void whoHasJustBegunIsKept() {
    Member young = member("a", 2, {"cpu:0"});
    young.job->reason = "is starting";
    const Plan plan = make_plan(world({young}), Scope::free_devices);
    QCOMPARE(plan.decision.choices[0].reason,
             std::string("started a moment ago; kept until the next decision"));
    QCOMPARE(plan.decision.choices[0].why, std::string("worth"));
    QCOMPARE(plan.decision.choices[0].devices, Devices{"cpu:0"});
    QCOMPARE(plan.decision.choices[0].before, 1);
  }

  void whoKeepsItsDevicesKeepsWhatItShares() {
    const World two = world({fixed("hog", {"cpu:0"}), member("a", 2, {"cpu:0", "cpu:1"})});
    const Plan plan = make_plan(two, Scope::free_devices);
    QCOMPARE(plan.decision.choices[1].devices, (Devices{"cpu:0", "cpu:1"}));
  }

  void aReplicaHasAllItsDevicesOrNone() {
    Member big = member("a", 2);
    big.run.spec.devices_per_replica = 2;
    QCOMPARE(make_plan(world({big}, 5), Scope::round).targets.at("a").size(), 4u);
    QCOMPARE(make_plan(world({big}, 3), Scope::round).targets.at("a").size(), 2u);
    const Plan shared = make_plan(world({big, member("b", 4)}, 3), Scope::round);
    QCOMPARE(shared.targets.at("a").size(), 2u);
    QCOMPARE(shared.targets.at("b").size(), 1u);
    const Plan none = make_plan(world({big}, 1), Scope::round);
    QCOMPARE(none.targets.at("a"), Devices{});
    QCOMPARE(none.decision.choices[0].why, std::string("impossible"));
  }

  void whoeverIsHeldGivesBack() {
    Member held = member("a", 1, {"cpu:0"});
    held.standing = Standing::outside;
    held.to_be_paused = true;
    for (const Scope scope : {Scope::round, Scope::free_devices})
      QCOMPARE(make_plan(world({held}), scope).targets.at("a"), Devices{});
  }

  void whatIsOnItsWayIsSpokenFor() {
    Member moving = member("a", 2, {"cpu:0"});
    moving.standing = Standing::in_motion;
    moving.reserved = {"cpu:0", "cpu:1"};
    const Plan plan = make_plan(world({moving, member("b")}), Scope::round);
    QVERIFY(!plan.targets.contains("a"));
    QCOMPARE(plan.targets.at("b"), Devices{});
  }

  void whoWaitsBehindARunBesideTheQueueIsToldHowToGetPast() {
    Member hog = fixed("hog", {"cpu:0", "cpu:1"});
    hog.run.replicas = 1;
    hog.held_since = 1000;
    const auto reason = [](const World& world) {
      return QString::fromStdString(make_plan(world, Scope::round).decision.choices[0].reason);
    };
    for (const char* words :
         {"waits for 1 core: cpu:0-1 (2 threads) are hog's since ", "started outside the queue",
          "`batchscope rescale hog 1 --devices cpu:0` frees 1",
          "`batchscope rescale hog auto` puts it into the queue"})
      QVERIFY2(reason(world({member("a"), hog})).contains(words),
               qPrintable(reason(world({member("a"), hog}))));
    Member two = member("a");
    two.run.spec.auto_replicas.reset();
    two.run.spec.replicas = 2;
    QVERIFY(reason(world({two, fixed("hog", {"cpu:1"})})).contains("`batchscope pause hog` frees it"));
    const Plan behind = make_plan(world({fixed("hog", {"cpu:1"}), two}), Scope::round);
    VERIFY_HOLDS(behind.decision.choices[1].reason, "`batchscope pause hog` frees it");
    // Another job of the queue is asked for nothing: its turn ends by itself.
    Member pinned = member("p", 2, {"cpu:0", "cpu:1"});
    pinned.standing = Standing::fixed;
    pinned.note = "keeps its devices until it ends (--pin)";
    QCOMPARE(
        reason(world({member("a"), pinned})),
        QStringLiteral("waits for 1 core: cpu:0-1 are p's, which keeps its devices until it ends (--pin)"));
    for (const Devices& held : {Devices{"cpu:0"}, Devices{"cpu:0", "cpu:1"}}) {
      const World between = world({member("a"), member("b", 2, held)}, static_cast<int>(held.size()));
      QCOMPARE(make_plan(between, Scope::free_devices).decision.choices[0].reason,
               std::string("waits for its turn"));
    }
  }

  // All who keep what it needs are named, and how much each way frees.
  void whoKeepsWhatARunNeedsIsNamed() {
    Member three = member("a");
    three.run.spec.auto_replicas.reset();
    three.run.spec.replicas = 3;
    const auto reason = [&](const std::vector<Member>& others) {
      std::vector<Member> all{three};
      all.insert(all.end(), others.begin(), others.end());
      return make_plan(world(all, 4), Scope::round).decision.choices[0].reason;
    };
    QCOMPARE(
        reason({fixed("hog", {"cpu:0", "cpu:1", "cpu:2"})}),
        std::string("waits for 2 cores: cpu:0-2 are hog's, started outside the queue: `batchscope rescale "
                    "hog 1 --devices cpu:0` frees 2, `batchscope rescale hog auto` puts it into the queue"));
    Member own = fixed("y", {"cpu:1", "cpu:2"});
    own.run.spec.device = "cpu:1,cpu:2";  // a person's choice, which is no pool's
    QCOMPARE(
        reason({fixed("x", {"cpu:0"}), own}),
        std::string("waits for 2 cores: cpu:0 is x's, started outside the queue: `batchscope pause x` frees "
                    "it, `batchscope rescale x auto` puts it into the queue; cpu:1-2 are y's, started "
                    "outside the queue: `batchscope pause y` frees them"));
  }

  // The restarts of one have taken 5 % of its last minutes: one that weighs more waits for its turn.
  void whoWasMovedTooOftenIsLeftAlone() {
    Member spent = member("a", 1, {"cpu:0"}), urgent = member("b", 1);
    urgent.job->priority = 3;
    QCOMPARE(make_plan(world({spent, urgent}, 1), Scope::round).targets.at("b"), (Devices{"cpu:0"}));
    spent.moves = {{900, 1, 29.95}};
    QCOMPARE(make_plan(world({spent, urgent}, 1), Scope::round).targets.at("a"), (Devices{"cpu:0"}));
    urgent.waiting_since = 1000 - 3 * 30;
    QCOMPARE(make_plan(world({spent, urgent}, 1), Scope::round).targets.at("b"), (Devices{"cpu:0"}));
  }

  void gpusAndCoresAreSharedApart() {
    Member on_gpu = member("a", 4), on_core = member("b", 4), on_any = member("c", 4);
    on_gpu.run.spec.device = "cuda";
    on_any.run.spec.device = "auto";
    World both = world({on_gpu, on_core, on_any});
    both.machine.gpus = {"cuda:0", "cuda:1"};
    const Plan plan = make_plan(both, Scope::round);
    QCOMPARE(plan.targets.at("b"), (Devices{"cpu:0", "cpu:1"}));
    QCOMPARE(plan.targets.at("a"), (Devices{"cuda:0"}));
    QCOMPARE(plan.targets.at("c"), (Devices{"cuda:1"}));
  }

  void theEndIsForetoldWhereItIsKnown() {
    const Member known = ends_in(300, "a", {"cpu:0"});
    const Plan plan = make_plan(world({known, member("b", 1)}), Scope::round);
    QVERIFY(plan.expected_ends.contains("a"));
    QVERIFY(std::abs(plan.expected_ends.at("a") - 1300) < 1);
    QVERIFY(!plan.expected_ends.contains("b"));
  }

  // Nothing is known of one that has not begun to count, or not made a step.
  void whatIsNotKnownIsNotForetold() {
    Member young = ends_in(300, "a", {"cpu:0"});
    young.run.latest["progress"] = 0;
    QVERIFY(!make_plan(world({young}), Scope::round).expected_ends.contains("a"));
    young = ends_in(300, "a", {"cpu:0"});
    young.run.fraction = 0;
    QVERIFY(!make_plan(world({young}), Scope::round).expected_ends.contains("a"));
    young = ends_in(300, "a", {"cpu:0"});
    young.run.latest.clear();
    QVERIFY(!make_plan(world({young}), Scope::round).expected_ends.contains("a"));
  }

  // Two that one device trains one after the other, and two devices at once; where that is worth a word.
  void moreDevicesAreAdvisedWhereTheyHelp() {
    const auto decided = [](double seconds, Scope scope) {
      World one = world({ends_in(seconds, "a", {"cpu:0"}), ends_in(seconds, "b")}, 1);
      one.settings.turn = 3600;
      return make_plan(one, scope).decision;
    };
    const protocol::PoolDecision decision = decided(300, Scope::round);
    QCOMPARE(decision.wanted, 2);
    QVERIFY(decision.utility > 0);
    VERIFY_HOLDS(decision.advice, "1 more core would end the queue 5 min sooner");
    VERIFY_HOLDS(decided(10, Scope::round).advice, "10 s sooner");
    QCOMPARE(decided(1, Scope::round).advice, std::string());
    // Seconds that are less than a fiftieth of the time until the end are not worth a word.
    const auto advice = [](double first, double second) {
      World one = world({ends_in(first, "a", {"cpu:0"}), ends_in(second, "b")}, 1);
      one.settings.turn = 3600;
      return make_plan(one, Scope::round).decision.advice;
    };
    QCOMPARE(advice(1000, 5), std::string());
    VERIFY_HOLDS(advice(400, 12), "s sooner");
    const protocol::PoolDecision between = decided(300, Scope::free_devices);
    QVERIFY(between.advice.empty() && between.wanted == 0 && between.utility == 0);
  }

  void nobodyAndNothing() {
    QVERIFY(make_plan(world({}), Scope::round).targets.empty());
    QCOMPARE(make_plan(world({member("a")}, 0), Scope::round).targets.at("a"), Devices{});
  }
};

BATCHSCOPE_TEST(TestPlan)
#include "test_plan.moc"
