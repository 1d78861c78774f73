// SPDX-License-Identifier: Apache-2.0
//
// The start of a run: what a person has changed since it was looked at, devices that somebody else has, and
// supervisors that do not come up.
#include "launches.h"

#include <QTest>

#include "standard_error.h"
#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::pool;
using namespace batchscope::storage::test;

class TestLaunches : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = {};
    qputenv("BATCHSCOPE_BIN", (folder_ / "").c_str());
    qputenv("BATCHSCOPE_DB", (folder_ / "runs.db").c_str());
    qputenv("XDG_STATE_HOME", (folder_ / "state").c_str());
    catalogue_.emplace(folder_ / "runs.db");
    now_ = 1000;
    supervisors_ = std::make_unique<Supervisors>([this] { return now_; });
    launches_.emplace(*catalogue_, *supervisors_);
    submit({});
  }

  void cleanupTestCase() {
    for (const char* name : {"BATCHSCOPE_BIN", "BATCHSCOPE_DB", "XDG_STATE_HOME"}) qunsetenv(name);
  }

  void whoAsksForAnotherNumberMeanwhileIsNotStarted() {
    protocol::RunSpec spec = seen_.run.spec;
    spec.replicas += 1;
    catalogue_->set_spec(id_, spec);
    nothingWasTried();
  }

  void whoIsCancelledMeanwhileIsNotStarted() {
    catalogue_->set_state(id_, protocol::RunState::stopped);
    nothingWasTried();
  }

  void aDeviceOfAnothersIsAReason() {
    const std::string other = catalogue_->submit_run(named("b"), {});
    catalogue_->lease_devices(other,
                              [](const auto&, const auto&) { return std::vector<std::string>{"cpu:0"}; });
    QCOMPARE(launches_->start(seen_, {"cpu:0"}), Launch::failed);
    QCOMPARE(launches_->why(id_), "not started, because b has cpu:0");
    QCOMPARE(catalogue_->job(id_)->crashes, 0);
  }

  void whoIsStartedHasItsDevices() {
    program("while [ -e \"$0\" ]; do sleep 0.1; done");
    submit({.preemptible = false}, 4);
    QCOMPARE(launches_->start(seen_, {"cpu:0", "cpu:1"}), Launch::begun);
    QVERIFY(launches_->under_way(id_) && supervisors_->expected(id_));
    QCOMPARE(leased(), (Names{"cpu:0", "cpu:1"}));
    for (const storage::LeaseEvent& event : catalogue_->lease_events(0)) {
      QCOMPARE(event.generation, -1);  // none of its own yet
      QCOMPARE(event.why, "pool");
    }
    // It keeps the number that it begins with, of replicas with a device each.
    QCOMPARE(catalogue_->run(id_)->spec.replicas, 2);
    QVERIFY(!catalogue_->run(id_)->spec.auto_replicas);
    launches_->look_after(world());
    QVERIFY(launches_->under_way(id_));
    // It took its run, or the run was taken out of the queue.
    catalogue_->claim_supervisor(id_);
    catalogue_->set_state(id_, protocol::RunState::running);
    supervisors_->give_up(id_);
    launches_->look_after(world());
    QVERIFY(!launches_->under_way(id_));
    QCOMPARE(leased().size(), 2u);
    QCOMPARE(catalogue_->job(id_)->crashes, 0);
  }

  // It begins with as many replicas as it asked for at first.
  void whoKeepsItsDevicesAsksForNoOtherNumber() {
    program("exit 0");
    submit({.preemptible = false}, 4);
    QCOMPARE(launches_->start(seen_, {"cpu:0"}), Launch::begun);
    QCOMPARE(catalogue_->run(id_)->spec.replicas, seen_.run.spec.replicas);
    QVERIFY(!catalogue_->run(id_)->spec.auto_replicas);
  }

  // It lives, and has not been heard of: that is a start that failed, too.
  void whoDoesNotAnswerInTimeHasFailed() {
    program("while [ -e \"$0\" ]; do sleep 0.1; done");
    QCOMPARE(launches_->start(seen_, {"cpu:0"}), Launch::begun);
    now_ += 10;
    launches_->look_after(world());
    QVERIFY(!launches_->under_way(id_) && leased().empty() && !supervisors_->contact(id_).busy);
    VERIFY_HOLDS(launches_->why(id_), "its supervisor did not start (1 of 3 tries): its supervisor, process ",
                 ", does not answer");
    QCOMPARE(catalogue_->job(id_)->crashes, 1);
  }

  void whoseSupervisorSaysNothingEndedAtOnce() {
    program("exit 3");
    const testing::StandardError said;
    QCOMPARE(launches_->start(seen_, {"cpu:0"}), Launch::begun);
    QTRY_VERIFY((launches_->look_after(world()), !launches_->under_way(id_)));
    const std::string why = "its supervisor did not start (1 of 3 tries): its supervisor ended at once";
    QCOMPARE(launches_->why(id_), why);
    QCOMPARE(said.text(), "run " + id_ + ": " + why + "\n");
  }

  void aReplicaMayHaveSeveralDevices() {
    program("while [ -e \"$0\" ]; do sleep 0.1; done");
    submit({}, 4, 2);
    QCOMPARE(launches_->start(seen_, {"cpu:0", "cpu:1", "cpu:2", "cpu:3"}), Launch::begun);
    QCOMPARE(catalogue_->run(id_)->spec.replicas, 2);
    QVERIFY(catalogue_->run(id_)->spec.auto_replicas);  // the pool may choose another number
  }

  // As often as its budget allows, which is twice here after the first.
  void whoseSupervisorEndsAtOnceIsTriedAgain() {
    program("echo no room here; exit 3");
    for (int crashes = 1; crashes <= 3; ++crashes) {
      QCOMPARE(launches_->start(seen(), {"cpu:0"}), Launch::begun);
      QTRY_VERIFY((launches_->look_after(world()), !launches_->under_way(id_)));
      QVERIFY(leased().empty() && !supervisors_->expected(id_));
      if (crashes == 3) break;
      QCOMPARE(catalogue_->job(id_)->crashes, crashes);
      const std::string why = "its supervisor did not start (" + std::to_string(crashes) + " of 3 tries): ";
      VERIFY_HOLDS(launches_->why(id_), why, "no room here");
      QCOMPARE(catalogue_->events(id_).back().level, "warning");
      QCOMPARE(catalogue_->events(id_).back().text, launches_->why(id_));
    }
    QCOMPARE(catalogue_->run(id_)->state, protocol::RunState::failed);
    VERIFY_HOLDS(catalogue_->run(id_)->message, "its supervisor did not start: ", "no room here");
    QCOMPARE(catalogue_->events(id_).back().level, "error");
  }

  void aMissingProgramIsAReason() {
    QCOMPARE(launches_->start(seen_, {"cpu:0"}), Launch::failed);
    VERIFY_HOLDS(launches_->why(id_), "its supervisor did not start (1 of 3 tries): ", "is missing");
    QVERIFY(leased().empty() && !launches_->under_way(id_));
    launches_->look_after(world());
    QVERIFY(!launches_->why(id_).empty());
    // Somebody else has started it.
    catalogue_->claim_supervisor(id_);
    launches_->look_after(world());
    QCOMPARE(launches_->why(id_), "");
  }

  // The supervisor died: that is counted where it is started again.
  void whoseSupervisorDiesTooOftenHasFailed() {
    program("exit 0");
    catalogue_->claim_supervisor(id_);
    catalogue_->set_state(id_, protocol::RunState::running);
    catalogue_->release_supervisor(id_);
    for (int death = 1; death <= 2; ++death) {
      QCOMPARE(launches_->start(seen(), {"cpu:0"}), Launch::begun);
      QCOMPARE(catalogue_->job(id_)->crashes, death);
      QTRY_VERIFY((launches_->look_after(world()), !launches_->under_way(id_)));
      QVERIFY(leased().empty() && launches_->why(id_).empty() && !supervisors_->contact(id_).busy);
      QCOMPARE(catalogue_->job(id_)->crashes, death);
    }
    QCOMPARE(launches_->start(seen(), {"cpu:0"}), Launch::failed);
    QVERIFY(leased().empty());
    QCOMPARE(catalogue_->run(id_)->state, protocol::RunState::failed);
    QCOMPARE(catalogue_->run(id_)->message, "its supervisor died 3 times");
  }

  void whoHasGoneIsForgotten() {
    QCOMPARE(launches_->start(seen_, {"cpu:0"}), Launch::failed);
    QVERIFY(!launches_->why(id_).empty());
    launches_->look_after({});
    QCOMPARE(launches_->why(id_), "");
    program("while [ -e \"$0\" ]; do sleep 0.1; done");
    QCOMPARE(launches_->start(seen(), {"cpu:0"}), Launch::begun);
    launches_->look_after({});
    QVERIFY(!launches_->under_way(id_));
  }

  // Devices of others are in nobody's way, and neither is one that it has already, whoever shares it.
  void onlyWhatOthersHaveAloneIsTaken() {
    program("exit 0");
    const std::string other = catalogue_->submit_run(named("b"), {});
    catalogue_->lease_devices(other, always({"cpu:0", "cpu:3"}));
    catalogue_->lease_devices(id_, always({"cpu:0"}));
    QCOMPARE(launches_->start(seen_, {"cpu:0"}), Launch::begun);
  }

 private:
  using Names = std::vector<std::string>;

  void submit(const storage::Job& job, int most = 1, int devices_of_each = 0) {
    protocol::RunSpec spec = named("a");
    spec.restart_budget = 2;
    spec.devices_per_replica = devices_of_each;
    if (most > 1) spec.auto_replicas = protocol::AutoReplicas{1, most};
    id_ = catalogue_->submit_run(spec, job);
    seen_ = seen();
  }

  // The run as it is now.
  Member seen() {
    Member member;
    member.run = catalogue_->run(id_).value();
    member.job = catalogue_->job(id_);
    return member;
  }
  World world() {
    World world;
    world.members = {seen()};
    return world;
  }

  Names leased() {
    Names devices;
    for (const storage::Lease& lease : catalogue_->leases()) devices.push_back(lease.device);
    return devices;
  }

  // In the supervisor's place.
  void program(const std::string& lines) {
    write_file(folder_ / "batchscope", "#!/bin/sh\n" + lines + "\n");
    std::filesystem::permissions(folder_ / "batchscope", std::filesystem::perms::owner_all);
  }

  void nothingWasTried() {
    QCOMPARE(launches_->start(seen_, {"cpu:0"}), Launch::overtaken);
    QVERIFY(launches_->why(id_).empty() && !launches_->under_way(id_));
    QVERIFY(catalogue_->leases().empty());
    QCOMPARE(catalogue_->job(id_)->crashes, 0);
  }

  Folder folder_;
  std::optional<storage::Catalogue> catalogue_;
  std::unique_ptr<Supervisors> supervisors_;
  std::optional<Launches> launches_;
  double now_ = 0;  // s
  std::string id_;
  Member seen_;
};

BATCHSCOPE_TEST(TestLaunches)
#include "test_launches.moc"
