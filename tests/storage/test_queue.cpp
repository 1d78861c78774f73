// SPDX-License-Identifier: Apache-2.0
//
// The queue of the pool, who had which device when, the pool's settings and its decisions.
#include "sleeper.h"
#include "store_test.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;

class TestQueue : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = {};
    catalogue_.emplace(folder_ / "runs.db");
  }

  void aSubmittedRunIsPending() {
    const std::string first = catalogue_->create_run(named("first"));
    const std::string id = catalogue_->submit_run(named("a"), {.after = first, .held = true});
    QCOMPARE(catalogue_->run(id)->state, RunState::pending);
    const Job job = catalogue_->job(id).value();
    QCOMPARE(job.run, id);
    QCOMPARE(job.submitted, catalogue_->run(id)->created);
    QCOMPARE(job.after, first);
    QVERIFY(job.after_end == AfterEnd::ok);
    for (const AfterEnd end : {AfterEnd::end, AfterEnd::fail}) {
      const Job other =
          catalogue_->job(catalogue_->submit_run(named("c"), {.after = first, .after_end = end})).value();
      QCOMPARE(other.after, first);
      QVERIFY(other.after_end == end);
    }
    QVERIFY(job.held && job.preemptible && !job.preempted);
    QVERIFY(!catalogue_->job(first));
    VERIFY_THROWS("usage", "priority", catalogue_->submit_run(named("b"), {.priority = 11}));
    QCOMPARE(catalogue_->runs().size(), 4u);
  }

  void theFirstByPriorityThenByTime() {
    const std::string a = catalogue_->submit_run(named("a"), {});
    const std::string b = catalogue_->submit_run(named("b"), {});
    const std::string c = catalogue_->submit_run(named("c"), {.priority = 2});
    QCOMPARE(order(), (Names{c, a, b}));
    catalogue_->prioritise(b, 3);
    QCOMPARE(order(), (Names{b, c, a}));
    catalogue_->set_state(c, RunState::finished);
    catalogue_->move_to_trash(a);
    QCOMPARE(order(), (Names{b}));
    catalogue_->restore(a);
    QCOMPARE(order(), (Names{b, a}));
    QCOMPARE(catalogue_->job(c)->priority, 2);
  }

  void prioritiesHaveBounds() {
    const std::string id = catalogue_->submit_run(named("a"), {.priority = -10});
    QCOMPARE(catalogue_->job(id)->priority, -10);
    catalogue_->prioritise(id, 10);
    for (const int beyond : {-11, 11}) {
      VERIFY_THROWS("usage", "expected -10 to 10", catalogue_->prioritise(id, beyond));
      VERIFY_THROWS("usage", "priority", catalogue_->submit_run(named("b"), {.priority = beyond}));
    }
    QCOMPARE(catalogue_->job(id)->priority, 10);
    QCOMPARE(catalogue_->runs().size(), 1u);
  }

  // The supervisor has said that the run stopped, and is not gone yet.
  void whatHasJustStoppedGoesBackIntoTheQueue() {
    const std::string id = catalogue_->submit_run(named("a"), {.held = true});
    QVERIFY(catalogue_->claim_supervisor(id));
    catalogue_->set_state(id, RunState::stopped);
    catalogue_->go_on(id);
    catalogue_->release_supervisor(id);
    QCOMPARE(catalogue_->run(id)->state, RunState::pending);
    QVERIFY(!catalogue_->job(id)->held);
  }

  void peopleAndThePoolWriteApart() {
    const std::string id = catalogue_->submit_run(named("a"), {.preemptible = false});
    Job seen = catalogue_->job(id).value();
    catalogue_->hold(id, true);
    catalogue_->prioritise(id, -4);
    seen.preempted = true;
    seen.crashes = 2;
    seen.target = {"cpu:0", "cuda:GPU-5b1c"};
    seen.reason = "waits";
    seen.expected_end = 1234.5;
    catalogue_->put_job(seen);
    const Job job = catalogue_->job(id).value();
    QVERIFY(job.held && job.preempted && !job.preemptible);
    QCOMPARE(job.priority, -4);
    QCOMPARE(job.crashes, 2);
    QCOMPARE(job.target, seen.target);
    QCOMPARE(job.reason, seen.reason);
    QCOMPARE(job.expected_end, 1234.5);
  }

  // The pool may look at a run just before its supervisor finds that its node is lost.
  void aRunThatIsLeftToThePoolStaysSo() {
    const std::string id = catalogue_->submit_run(named("a"), {});
    Job job = catalogue_->job(id).value();
    job.preempted = true;
    job.crashes = 2;
    job.target = {"n2/cpu:0"};
    catalogue_->put_job(job);
    QVERIFY(catalogue_->claim_supervisor(id));
    catalogue_->set_state(id, RunState::running);
    catalogue_->leave_to_pool(id);
    catalogue_->forget_preemption(id);
    job = catalogue_->job(id).value();
    QVERIFY(job.preempted && job.target.empty());
    QCOMPARE(job.crashes, 2);
    QCOMPARE(catalogue_->run(id)->state, RunState::pausing);
    catalogue_->set_state(id, RunState::running);
    catalogue_->forget_preemption(id);
    catalogue_->forget_crashes(id);
    QVERIFY(!catalogue_->job(id)->preempted);
    QCOMPARE(catalogue_->job(id)->crashes, 0);
  }

  void aDecisionOverwritesNoWordOfASupervisor() {
    const std::string id = catalogue_->submit_run(named("a"), {});
    Job seen = catalogue_->job(id).value();
    Job left = seen;
    left.preempted = true;
    catalogue_->put_job(left);
    seen.target = {"cpu:0"};
    seen.reason = "waits";
    seen.expected_end = 1234.5;
    catalogue_->put_job_decision(seen);
    const Job job = catalogue_->job(id).value();
    QVERIFY(job.preempted);
    QCOMPARE(job.target, seen.target);
    QCOMPARE(job.reason, seen.reason);
    QCOMPARE(job.expected_end, 1234.5);
  }

  void onlyWhatNobodyHasInHandIsCancelled() {
    const std::string id = catalogue_->submit_run(named("a"), {});
    catalogue_->lease_devices(id, always({"cpu:0"}));  // the pool, which is about to start it
    QVERIFY(!catalogue_->cancel_waiting(id, "cancelled"));
    QCOMPARE(catalogue_->run(id)->state, RunState::pending);
    catalogue_->release_devices(id);
    QVERIFY(catalogue_->cancel_waiting(id, "cancelled before it began"));
    QCOMPARE(catalogue_->run(id)->state, RunState::stopped);
    QCOMPARE(catalogue_->run(id)->message, std::string("cancelled before it began"));
    QVERIFY(catalogue_->run(id)->ended > 0);
    QVERIFY(!catalogue_->cancel_waiting(id, "again"));
    QVERIFY(catalogue_->jobs().empty());
    const std::string supervised = catalogue_->submit_run(named("b"), {});
    QVERIFY(catalogue_->claim_supervisor(supervised));
    QVERIFY(!catalogue_->cancel_waiting(supervised, "cancelled"));
  }

  void nobodyLeasesForAnothersRun() {
    const std::string id = catalogue_->create_run(named("a"));
    const Sleeper supervisor([&] {
      Catalogue other(folder_ / "runs.db");
      other.claim_supervisor(id);
      other.lease_devices(id, always({"cpu:0"}));
      return true;
    });
    VERIFY_THROWS("conflict", id, catalogue_->lease_devices(id, always({"cpu:1"})));
    catalogue_->release_devices(id);
    QCOMPARE(catalogue_->run(id)->devices, (Names{"cpu:0"}));
  }

  void aPoolIsNeededUntilTheQueueHasEnded() {
    QVERIFY(!catalogue_->pool_needed());
    const std::string id = catalogue_->submit_run(named("a"), {});
    QVERIFY(catalogue_->pool_needed());
    catalogue_->hold(id, true);
    QVERIFY(!catalogue_->pool_needed());
    QVERIFY(catalogue_->claim_supervisor(id));
    catalogue_->set_state(id, RunState::running);
    QVERIFY(catalogue_->pool_needed());  // it has to give its devices back
    catalogue_->set_state(id, RunState::paused);
    QVERIFY(!catalogue_->pool_needed());
    catalogue_->hold(id, false);
    QVERIFY(!catalogue_->pool_needed());  // a person has paused it
    QVERIFY(catalogue_->job(id)->rests);
    catalogue_->set_state(id, RunState::pausing);
    QVERIFY(!catalogue_->pool_needed());
    catalogue_->go_on(id);
    QVERIFY(!catalogue_->job(id)->rests);
    QVERIFY(catalogue_->pool_needed());  // it is to give devices when there are some
    catalogue_->set_state(id, RunState::paused);
    QVERIFY(catalogue_->pool_needed());            // the pause that was under way changes nothing
    catalogue_->set_state(id, RunState::running);  // it went on, and is paused again
    catalogue_->set_state(id, RunState::paused);
    QVERIFY(!catalogue_->pool_needed());
    Job job = catalogue_->job(id).value();
    job.preempted = true;
    catalogue_->put_job(job);
    QVERIFY(catalogue_->pool_needed());
    catalogue_->set_state(id, RunState::running);
    QVERIFY(catalogue_->pool_needed());
    catalogue_->set_state(id, RunState::finished);
    QVERIFY(!catalogue_->pool_needed());
  }

  void aPoolIsNeededByTwoThatCouldShare() {
    protocol::RunSpec elastic = named("a");
    elastic.auto_replicas.emplace();
    const std::string a = catalogue_->create_run(elastic), b = catalogue_->create_run(elastic);
    for (const std::string& id : {a, b}) {
      QVERIFY(!catalogue_->pool_needed());
      QVERIFY(catalogue_->claim_supervisor(id));
      catalogue_->set_state(id, RunState::running);
    }
    QVERIFY(catalogue_->pool_needed());
    catalogue_->set_state(b, RunState::paused);
    QVERIFY(!catalogue_->pool_needed());
    const std::string fixed = catalogue_->create_run(named("c"));  // has its number of replicas
    QVERIFY(catalogue_->claim_supervisor(fixed));
    catalogue_->set_state(fixed, RunState::running);
    QVERIFY(!catalogue_->pool_needed());
  }

  void aJobWhoseSupervisorDiedNeedsThePool() {
    const std::string id = catalogue_->create_run(named("a"));
    catalogue_->set_state(id, RunState::running);
    QVERIFY(!catalogue_->pool_needed());
    catalogue_->enlist(id);
    catalogue_->enlist(id);
    QVERIFY(catalogue_->pool_needed());
  }

  void whoHadWhatIsKept() {
    const std::string a = catalogue_->create_run(named("a")), b = catalogue_->create_run(named("b"));
    const double before = now();
    catalogue_->lease_devices(a, always({"cpu:0", "cpu:1"}), 0, "start");
    catalogue_->lease_devices(a, always({"cpu:1"}), 1, "pool");
    catalogue_->lease_devices(b, always({"cpu:0"}), 0, "start");
    catalogue_->release_devices(a);
    const auto events = catalogue_->lease_events(before);
    QCOMPARE(events.size(), 3u);
    QCOMPARE(events[0].device + events[1].device + events[2].device, std::string("cpu:0cpu:1cpu:0"));
    QCOMPARE(events[0].name, std::string("a"));
    QVERIFY(events[0].until >= events[0].since && events[1].until >= events[0].until);
    QCOMPARE(events[1].generation, 0);
    QCOMPARE(events[2].until, 0.0);
    QCOMPARE(events[2].run, b);
    QCOMPARE(events[2].why, std::string("start"));
    QCOMPARE(catalogue_->lease_events(now() + 60).size(), 1u);
    QVERIFY(before <= events[2].since && events[2].since <= now());
    catalogue_->lease_devices(a, always({"cpu:2"}), 7, "pool");
    const LeaseEvent last = catalogue_->lease_events(before).at(3);
    QCOMPARE(last.generation, 7);
    QCOMPARE(last.why, std::string("pool"));
  }

  void theDeadHadItUntilSomebodyLooks() {
    const std::string a = catalogue_->create_run(named("a")), b = catalogue_->create_run(named("b"));
    {
      const Sleeper holder([&] {
        Catalogue(folder_ / "runs.db").lease_devices(a, always({"cuda:0"}));
        return true;
      });
      QCOMPARE(catalogue_->lease_events(0).at(0).until, 0.0);
    }
    QVERIFY(catalogue_->lease_events(0).at(0).until > 0);
    catalogue_->lease_devices(b, always({"cuda:0"}));
    const auto events = catalogue_->lease_events(0);
    QCOMPARE(events.size(), 2u);
    QVERIFY(events[0].until > 0);
    QCOMPARE(events[1].until, 0.0);
  }

  void settingsAreKeptAndChecked() {
    QCOMPARE(catalogue_->pool_settings(), protocol::PoolSettings{});
    catalogue_->change_pool_settings([](auto& settings) { settings.policy = "fast"; });
    Catalogue(folder_ / "runs.db").change_pool_settings([](auto& settings) { settings.devices = 3; });
    QCOMPARE(catalogue_->pool_settings(), (protocol::PoolSettings{.policy = "fast", .devices = 3}));
    VERIFY_THROWS("usage", "lottery",
                  catalogue_->change_pool_settings([](auto& s) { s.policy = "lottery"; }));
    VERIFY_THROWS("usage", "-1", catalogue_->change_pool_settings([](auto& s) { s.devices = -1; }));
    VERIFY_THROWS("usage", "nan", catalogue_->change_pool_settings([](auto& s) {
      s.price_per_device_hour = std::numeric_limits<double>::quiet_NaN();
    }));
    QCOMPARE(catalogue_->pool_settings(), (protocol::PoolSettings{.policy = "fast", .devices = 3}));
  }

  void nodesAreKeptUntilOthersTakeTheirPlace() {
    const protocol::PoolNode there{"n2", true, 5, "", {"cpu:0", "cpu:1"}, {"cuda:0"}};
    const protocol::PoolNode away{"n3", false, 7, "no route to it", {}, {}};
    catalogue_->put_pool_nodes({away, there});
    QCOMPARE(Catalogue(folder_ / "runs.db").pool_nodes(), (std::vector{there, away}));
    catalogue_->put_pool_nodes({away});
    QCOMPARE(catalogue_->pool_nodes(), std::vector{away});
    VERIFY_THROWS("usage", "'n 2' is not a node",
                  catalogue_->change_pool_settings([](auto& s) { s.agents = "n 2"; }));
    VERIFY_THROWS("usage", "n2 is named twice",
                  catalogue_->change_pool_settings([](auto& s) { s.agents = "n2,n2=other"; }));
  }

  void theNewestDecisionsAreKept() {
    QVERIFY(!catalogue_->last_decision());
    protocol::PoolDecision decision{.time = 5, .cause = "a arrived", .policy = "fair"};
    decision.choices.push_back({"aaaaaaaa", {"cpu:0"}, 0, "worth", "alone", {{2, 0.5}}});
    for (int i = 0; i < 1003; ++i) catalogue_->add_decision(decision);
    const auto kept = catalogue_->decisions();
    QCOMPARE(kept.size(), 1000u);
    QCOMPARE(kept.front().id, 4);
    QCOMPARE(kept.back().choices, decision.choices);
    QCOMPARE(catalogue_->decisions(1002).size(), 1u);
    QCOMPARE(catalogue_->last_decision()->id, 1003);
  }

 private:
  Names order() {
    Names ids;
    for (const Job& job : catalogue_->jobs()) ids.push_back(job.run);
    return ids;
  }

  Folder folder_;
  std::optional<Catalogue> catalogue_;
};

BATCHSCOPE_TEST(TestQueue)
#include "test_queue.moc"
