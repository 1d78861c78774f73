// SPDX-License-Identifier: Apache-2.0
//
// The account of a plan: which devices the advice is about, what else a run could have had, and when it is
// expected to end.
#include <algorithm>
#include <cmath>

#include "plan.h"
#include "planned.h"
#include "rows.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::pool;
using namespace batchscope::testing;

namespace {

using Names = std::vector<std::string>;

Member on_gpu(Member member) {
  member.run.spec.device = "cuda";
  return member;
}

World with_gpus(World world, int gpus) {
  for (int gpu = 0; gpu < gpus; ++gpu) world.machine.gpus.push_back("cuda:" + std::to_string(gpu));
  world.settings.turn = 3600;
  return world;
}

// Two replicas train a good deal faster than one.
protocol::Model scales() {
  protocol::Model model;
  model.perf = protocol::PerfParams{0.01, 0.1, 0, 0, 0, 0, 1};
  model.grad_sqr = 1;
  model.grad_var = 1000;
  model.init_batch_size = 10;
  model.max_batch_size = 1000;
  model.min_local_batch_size = 1;
  model.max_local_batch_size = 100;
  return model;
}

protocol::PoolDecision decided(const World& world) { return make_plan(world, Scope::round).decision; }

}  // namespace

class TestPlanAccount : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // The kind of device that runs of the queue want counts, GPUs first: nodes are asked for by it.
  void theNumberWantedIsOfOneKind() {
    // Four on two cores should have four, one on a GPU at most two.
    std::vector<Member> four{ends_in(300, "a", {"cpu:0"}), ends_in(300, "b", {"cpu:1"}), ends_in(300, "c"),
                             ends_in(300, "d")};
    QCOMPARE(decided(with_gpus(world(four, 2), 3)).wanted, 4);
    std::vector<Member> all = four;
    all.push_back(on_gpu(ends_in(300, "g", {"cuda:0"})));
    const protocol::PoolDecision both = decided(with_gpus(world(all, 2), 1));
    QCOMPARE(both.wanted, 2);
    VERIFY_HOLDS(both.advice, "2 more cores would end the queue");  // of GPUs there is nothing to say
    all.push_back(on_gpu(ends_in(300, "h")));
    VERIFY_HOLDS(decided(with_gpus(world(all, 2), 1)).advice, "1 more GPU would end the queue 5 min sooner");
    // There is none yet, and so no advice.
    all = four;
    all.push_back(on_gpu(ends_in(300, "g")));
    QCOMPARE(decided(with_gpus(world(all, 2), 0)).wanted, 0);
    // A run beside the queue, or one that rests, wants nothing of it.
    all.back() = on_gpu(fixed("g", {"cuda:0"}));
    QCOMPARE(decided(with_gpus(world(all, 2), 1)).wanted, 4);
    all.push_back(on_gpu(ends_in(300, "h")));  // which wants one of them
    QVERIFY(decided(with_gpus(world(all, 2), 1)).wanted < 4);
    all.pop_back();
    all.back() = on_gpu(ends_in(300, "g", {"cuda:0"}));
    all.back().standing = Standing::outside;
    QCOMPARE(decided(with_gpus(world(all, 2), 1)).wanted, 4);
    QVERIFY(decided(with_gpus(world({fixed("c", {"cpu:0"})}, 1), 1)).wanted > 0);
  }

  // One that costs more than it saves is not advised.
  void aPriceIsWeighed() {
    World two = with_gpus(world({ends_in(3600, "a", {"cpu:0"}), ends_in(360, "b")}, 1), 0);
    for (const auto& [price, wanted] : {std::pair{0.0, 2}, {0.5, 2}, {3.0, 1}}) {
      two.settings.price_per_device_hour = price;
      QCOMPARE(decided(two).wanted, wanted);
    }
    two.members.pop_back();  // another device has no use but by AdaptDL's rule
    for (const auto& [price, wanted] : {std::pair{0.0, 2}, {0.5, 1}}) {
      two.settings.price_per_device_hour = price;
      QCOMPARE(decided(two).wanted, wanted);
    }
  }

  // Two seconds sooner, or a fiftieth of the time, are not worth a word.
  void whatIsWorthSaying() {
    const auto advice = [](double first, double second) {
      return decided(with_gpus(world({ends_in(first, "a", {"cpu:0"}), ends_in(second, "b")}, 1), 0)).advice;
    };
    QCOMPARE(advice(1.9, 1.9), std::string());
    VERIFY_HOLDS(advice(2.5, 2.5), "1 more core");
    QCOMPARE(advice(1000, 18), std::string());
    VERIFY_HOLDS(advice(1000, 25), "1 more core");
  }

  // However slow it is, and however little it has done.
  void aSlowRunEndsInTheEnd() {
    Member slow = ends_in(3, "a", {"cpu:0"});
    slow.model->perf->alpha_c = 100;
    QVERIFY(std::abs(make_plan(world({slow}, 1), Scope::round).expected_ends.at("a") - 1300) < 1);
    slow = ends_in(300, "a", {"cpu:0"});
    slow.run.latest["progress"] = 0.5;
    slow.run.fraction = 0.5;
    QVERIFY(std::abs(make_plan(world({slow}, 1), Scope::round).expected_ends.at("a") - 1000.5) < 0.1);
  }

  // The replicas of a run that was measured with two on one device are given one each.
  void eachReplicaCountsWithADeviceOfItsOwn() {
    Member one = member("a", 2, {"cpu:0"});
    one.model = scales();
    one.model->devices = 1;
    QCOMPARE(make_plan(world({one}), Scope::round).targets.at("a").size(), 2u);
    one.model->devices = 4;
    QCOMPARE(make_plan(world({one}), Scope::round).targets.at("a").size(), 2u);
  }

  // A run is expected to end by the number of its replicas, of however many devices they are.
  void theReplicasCountAndNotTheirDevices() {
    const auto end = [](int most, int of_each, int measured_on = 6) {
      Member one = ends_in(300, "a");
      one.model = scales();
      one.model->devices = measured_on;
      one.run.spec.auto_replicas->max = most;
      one.run.spec.devices_per_replica = of_each;
      return make_plan(world({one}, 6), Scope::round).expected_ends.at("a");
    };
    QVERIFY(end(2, 1) < end(1, 1) - 10);
    for (const int most : {1, 2})
      for (const int of_each : {2, 3}) QCOMPARE(end(most, of_each), end(most, 1));
    QCOMPARE(end(2, 1, 1), end(2, 1));
  }

  // AdaptDL's rule weighs what restarts have taken of a run's life: (age - restarts * pause) / (age + pause).
  void restartsAreCharged_data() {
    const auto row = columns<double, int, double, int>({"submitted", "restarts", "pause", "devices"});
    row("young", 0, 0, 0.1, 2);
    row("restarted for half its life", 500, 25, 10, 1);
    row("restarted for a fifth of it", 0, 20, 10, 2);
  }
  void restartsAreCharged() {
    QFETCH(const double, submitted);
    QFETCH(const int, restarts);
    QFETCH(const double, pause);
    QFETCH(const int, devices);
    Member one = member("a", 2, {"cpu:0"});
    one.job->submitted = submitted;
    one.restarts = restarts;
    one.pause = pause;
    World pollux = world({one});
    pollux.settings.policy = "pollux";
    QCOMPARE(make_plan(pollux, Scope::round).targets.at("a").size(), static_cast<std::size_t>(devices));
  }

  // A run that went to and fro in the last hour costs more to take devices from; nothing was lost by that.
  void whoWentToAndFroIsHarderToMove() {
    for (const bool often : {false, true}) {
      Member holder = member("a", 3, {"cpu:1", "cpu:2"}), urgent = member("b", 3, {"cpu:0"});
      urgent.job->priority = 1;
      for (int i = 0; often && i < 10; ++i) holder.moves.push_back({500.0 + i, 1 + i % 2, 0});
      const auto targets = make_plan(world({holder, urgent}, 3), Scope::round).targets;
      QCOMPARE(targets.at("a").size(), often ? 2u : 1u);
      QCOMPARE(targets.at("b").size(), often ? 1u : 2u);
    }
  }

  void whatIsDoneHasNothingLeft() {
    for (const double fraction : {1.0, 1.5}) {
      Member done = ends_in(300, "a", {"cpu:0"});
      done.run.fraction = fraction;
      QCOMPARE(make_plan(world({done}), Scope::round).expected_ends.at("a"), 1000.0);
    }
  }

  // One that weighs more has the device first, where that is free at a later round; of one that is fixed it
  // has it in the end.
  void aForecastMovesThoseThatStayForNow_data() {
    const auto row = columns<Standing, Scope, bool>({"standing", "scope", "gives_way"});
    row("free", Standing::free, Scope::round, true);
    row("between rounds", Standing::free, Scope::free_devices, true);
    row("on its way", Standing::in_motion, Scope::round, true);
    row("fixed", Standing::fixed, Scope::round, false);
  }
  void aForecastMovesThoseThatStayForNow() {
    QFETCH(const Standing, standing);
    QFETCH(const Scope, scope);
    QFETCH(const bool, gives_way);
    Member holder = ends_in(600, "a", {"cpu:0"});
    holder.standing = standing;
    Member urgent = ends_in(600, "b");
    urgent.job->priority = 8;
    const auto ends = make_plan(world({holder, urgent}, 1), scope).expected_ends;
    QVERIFY2(std::abs(ends.at("a") - (gives_way ? 2200 : 1600)) < 10, std::to_string(ends.at("a")).c_str());
    QVERIFY2(std::abs(ends.at("b") - (gives_way ? 1600 : 2200)) < 10, std::to_string(ends.at("b")).c_str());
  }

  // Other numbers are told, where anything is known of them.
  void alternativesAreTold() {
    const auto alternatives = [](const Member& member) {
      return decided(world({member}, 3)).choices.at(0).alternatives;
    };
    Member known = ends_in(300, "a");
    known.run.spec.auto_replicas->max = 3;
    std::vector<int> devices;
    for (const auto& other : alternatives(known)) devices.push_back(other.devices);
    QVERIFY(devices.size() > 1);
    QVERIFY(std::ranges::is_sorted(devices));
  }

  // All who share what it has are named, and nothing else is told of what it could have.
  void whoSharesIsNamed() {
    const World four = world({fixed("x", {"cpu:0"}), ends_in(300, "a", {"cpu:0", "cpu:1"}),
                              fixed("y", {"cpu:1"}), fixed("z", {"cpu:2"})},
                             3);
    World shared = four;
    shared.machine.cores = {"cpu:0", "cpu:1"};
    QCOMPARE(decided(shared).choices.at(0).run, "x");
    const protocol::PoolChoice choice = decided(shared).choices.at(1);
    QCOMPARE(choice.run, "a");
    QCOMPARE(choice.devices, (Names{"cpu:0", "cpu:1"}));
    QCOMPARE(choice.reason, std::string("shares cpu:0-1 with x, y"));
    QCOMPARE(choice.why, std::string("fixed"));
    QVERIFY(choice.alternatives.empty());
  }

  // A device that somebody else is given is no alternative.
  void whoSharesIsToldOfNothingElse() {
    Member urgent = ends_in(300, "b");
    urgent.job->priority = 8;
    const protocol::PoolDecision decision =
        decided(world({fixed("x", {"cpu:0"}), ends_in(300, "a", {"cpu:0"}), urgent}, 2));
    QCOMPARE(decision.choices.at(1).reason, "shares cpu:0 with x");
    QVERIFY(decision.choices.at(1).alternatives.empty());
  }

  // A run keeps what it has beyond its range for as long as it may not be moved.
  void whoIsFixedMayHaveMoreThanItAsksFor() {
    Member more = fixed("p", {"cpu:0", "cpu:1", "cpu:2"});
    more.run.spec.auto_replicas->max = 1;
    const Plan plan = make_plan(world({more, member("a", 4)}, 4), Scope::round);
    QCOMPARE(plan.targets.at("a"), (Names{"cpu:3"}));
    QCOMPARE(plan.decision.choices[0].devices, more.held);
    QCOMPARE(plan.decision.time, 1000.0);
  }

  // The replicas count, not their devices: it has had one of two devices, and may have two.
  void twiceTheReplicasThatItHasSeen() {
    Member big = member("a", 4);
    big.run.spec.devices_per_replica = 2;
    big.max_profiled = 1;
    QCOMPARE(make_plan(world({big}, 8), Scope::round).targets.at("a").size(), 4u);
  }

  // A turn is as long as was asked, and no less than fifty restarts of one that had any.
  void aTurnIsFiftyRestarts() {
    Member slow = member("a"), fast = member("b");
    slow.pause = 10;
    slow.restarts = 1;
    const auto turn = [&](Standing standing, int restarts) {
      slow.standing = standing;
      slow.restarts = restarts;
      World two = world({slow, fast});
      two.settings.turn = 60;
      return turn_of(two);
    };
    QCOMPARE(turn(Standing::free, 1), 500.0);
    QCOMPARE(turn(Standing::free, 0), 60.0);
    QCOMPARE(turn(Standing::fixed, 1), 60.0);
  }
};

BATCHSCOPE_TEST(TestPlanAccount)
#include "test_plan_account.moc"
