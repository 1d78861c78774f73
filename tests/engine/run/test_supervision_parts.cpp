// SPDX-License-Identifier: Apache-2.0
//
// A supervisor's cares beside its replicas: folders that somebody may take away, replicas that the supervisor
// before has left, a pool that is missing.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "batchscope/protocol/telemetry.h"
#include "batchscope/run/pool.h"
#include "record/predecessor.h"
#include "stored_runs.h"
#include "supervision/folder_watch.h"
#include "supervision/leftovers.h"
#include "supervision/pool_call.h"
#include "system/process_table.h"
#include "test_case.h"
#include "thrown.h"
#include "waiting_replicas.h"

using namespace batchscope;
using namespace batchscope::run;
namespace fs = std::filesystem;

class TestSupervisionParts : public QObject {
  Q_OBJECT

  std::unique_ptr<StoredRuns> runs_;
  std::string told_;

  Tell teller() {
    return [this](const std::string& level, const std::string& text) { told_ += level + ": " + text + "\n"; };
  }
  std::string heard() { return std::exchange(told_, {}); }
  static bool eventually(const std::function<bool()>& condition) { return QTest::qWaitFor(condition, 20000); }

 private Q_SLOTS:
  void init() {
    runs_ = std::make_unique<StoredRuns>();
    told_.clear();
  }

  // --- folders ---

  void socketsThatAreGoneAreMadeAgain() {
    const protocol::RunPaths paths = protocol::run_paths(runs_->add(runs_->spec()));
    LocalListener one(paths.control_socket, [](auto) {}), other(paths.telemetry_socket, [](auto) {});
    FolderWatch watch(paths, {&one, &other}, teller());
    watch.keep_sockets();
    QCOMPARE(heard(), "");
    const std::string again =
        "warning: the run's sockets in " + paths.runtime.string() + " were removed, and are made again\n";
    fs::remove(paths.telemetry_socket);
    QVERIFY(one.stands() && !other.stands());
    watch.keep_sockets();
    QCOMPARE(heard(), again);
    QVERIFY(one.stands() && other.stands());
    fs::remove_all(paths.runtime);
    watch.keep_sockets();
    QCOMPARE(heard(), again);
    QVERIFY(one.stands() && other.stands());
    QCOMPARE(fs::status(paths.runtime).permissions(), fs::perms::owner_all);

    // Something else is in their place.
    fs::remove_all(paths.runtime);
    testing::write_file(paths.runtime, "");
    for (int i = 0; i < 2; ++i) watch.keep_sockets();
    const std::string trouble = heard();
    QVERIFY2(trouble.starts_with("error: the run's sockets were removed and cannot be made again: "),
             trouble.c_str());
    const std::string way_out =
        ". Until then no command reaches the run; to stop it: kill -TERM " + std::to_string(getpid()) + "\n";
    QCOMPARE(trouble.find(way_out) + way_out.size(), trouble.size());  // told once
    fs::remove(paths.runtime);
    watch.keep_sockets();
    QCOMPARE(heard(), again);
    watch.keep_sockets();
    QCOMPARE(heard(), "");
  }

  void theRecordIsMissedOnce() {
    const protocol::RunPaths paths = protocol::run_paths(runs_->add(runs_->spec()));
    testing::write_file(paths.samples, "");
    for (const fs::path& lost : {paths.samples, paths.root}) {
      FolderWatch watch(paths, {}, teller());
      QVERIFY(!watch.take_removed());
      fs::rename(lost, lost.string() + "-away");
      QVERIFY(watch.take_removed().has_value());
      QVERIFY(!watch.take_removed());
      fs::rename(lost.string() + "-away", lost);
    }
    FolderWatch watch(paths, {}, teller());
    testing::write_file(paths.root / "another", "");
    fs::rename(paths.root / "another", paths.samples);
    QCOMPARE(watch.take_removed(), std::optional(paths.samples));
  }

  // --- what the supervisor before has left ---

  void whereNothingIsLeftABeginningIsNotHeldUp() {
    const protocol::RunPaths paths = protocol::run_paths(runs_->add(runs_->spec()));
    Leftovers leftovers(paths, 10, teller());
    bool gone = false;
    leftovers.await([&] { gone = true; });
    QVERIFY(!gone);  // from the event loop
    QVERIFY(eventually([&] { return gone; }));
    QCOMPARE(heard(), "");
  }

  void replicasThatAreLeftHaveTheirTime() {
    for (const bool leave : {true, false}) {
      const protocol::RunPaths paths = protocol::run_paths(runs_->add(runs_->spec()));
      WaitingReplicas launcher;
      const auto pids = launcher.launch(std::vector<ReplicaOrder>(2));
      write_replicas(paths.root / "replicas.json",
                     {protocol::identify(pids[0]), protocol::identify(pids[1])});
      Leftovers leftovers(paths, leave ? 1000 : 0.1, teller());
      int gone = 0;
      leftovers.await([&] { ++gone; });
      QCOMPARE(heard(),
               "warning: 2 replicas of an earlier supervisor still run; waiting for their checkpoint\n");
      if (leave) {
        QTest::qWait(150);  // it has looked meanwhile
        QCOMPARE(gone, 0);
        for (const pid_t pid : pids) ::kill(pid, SIGTERM);
      }
      QVERIFY(eventually([&] { return gone > 0; }));
      QTest::qWait(150);
      QCOMPARE(gone, 1);
      for (const pid_t pid : pids)
        QCOMPARE(WaitingReplicas::status_of(pid), leave ? W_EXITCODE(10, 0) : SIGKILL);
    }
  }

  // A checkpoint that does not say whose it is is taken to be that of whoever ran last.
  void whoseACheckpointIsThatDoesNotSay() {
    const std::string id = runs_->add(runs_->spec());
    const protocol::RunPaths paths = protocol::run_paths(id);
    for (const int number : {0, 2, 1}) {
      storage::Generation generation;
      generation.number = number;
      generation.ended = 1e9;
      runs_->catalogue().put_generation(id, generation);
    }
    protocol::Manifest manifest;
    manifest.step = 40;
    manifest.files = {{"model", 0, 0}};
    // Another one had the name of one of them.
    runs_->catalogue().put_checkpoint(
        id, {protocol::checkpoint_name(1), 7, manifest.step, manifest.epoch, 0, 0, 0, 0, manifest.reason});
    for (const int generation : {-1, 0, 1}) {
      manifest.generation = generation;
      const fs::path folder = paths.checkpoints / protocol::checkpoint_name(generation + 1);
      fs::create_directory(folder);
      protocol::write_manifest(folder, manifest);
    }
    reconcile(runs_->catalogue(), *runs_->catalogue().run(id), paths);
    const auto listed = runs_->catalogue().checkpoints(id);
    QCOMPARE(listed.size(), 3u);
    for (const auto& checkpoint : listed)
      QCOMPARE(checkpoint.generation, checkpoint.name == "checkpoint-000000"   ? 2
                                      : checkpoint.name == "checkpoint-000001" ? 0
                                                                               : 1);
  }

  // --- the pool ---

  // Less and less often where none stays, but once a minute; at once where one was there meanwhile.
  void aPoolThatIsNeededIsStarted() {
    runs_->add_program("batchscope-pool", "echo started >> \"${0%/*}/pools\"");
    const auto started = [&] {
      const std::string all = testing::contents(runs_->path("pools"));
      return std::count(all.begin(), all.end(), '\n');
    };
    PoolCall call(runs_->catalogue(), teller());
    QVERIFY(!call.call());  // nobody waits
    call.check(1000);
    runs_->catalogue().submit_run(runs_->spec(), {});
    std::ptrdiff_t expected = 0;
    double now = 1000;
    for (const double delay : {2, 4, 8, 16, 32, 60, 60}) {
      call.check(now);
      QVERIFY(eventually([&] { return started() == expected + 1; }));
      ++expected;
      call.check(now + delay - 0.5);
      now += delay;
    }
    {
      const StoreLock pool(kPool);
      call.check(now);
    }
    call.check(now - 1);
    QVERIFY(eventually([&] { return started() == expected + 1; }));
    call.check(now + 0.5);
    call.check(now + 1);
    QVERIFY(eventually([&] { return started() == expected + 2; }));
    QVERIFY(call.call());  // whoever asks by name does not wait
    QVERIFY(eventually([&] { return started() == expected + 3; }));
    QCOMPARE(heard(), "");
  }

  void aPoolThatCannotBeStartedIsToldOnce() {
    runs_->catalogue().submit_run(runs_->spec(), {});
    PoolCall call(runs_->catalogue(), teller());
    const std::string trouble = "warning: no pool is running to give devices to the runs that wait: " +
                                runs_->path("batchscope-pool").string() + " is missing";
    QVERIFY(call.call() && call.call());
    const std::string told = heard();
    QVERIFY2(told.starts_with(trouble), told.c_str());
    QCOMPARE(told.find(trouble), told.rfind(trouble));
    runs_->add_program("batchscope-pool", "exit 0");
    QVERIFY(call.call());
    fs::remove(runs_->path("batchscope-pool"));
    QVERIFY(call.call());
    QVERIFY(heard().starts_with(trouble));  // it is another time
  }

  void aPoolThatHasNotBeatenForAMinuteHangs() {
    QVERIFY(!kPool.alive() && !kPool.heartbeat());
    QCOMPARE(kPool.hang(), "");
    {
      StoreLock pool(kPool);
      QVERIFY(pool.held() && kPool.alive());
      QVERIFY(!StoreLock(kPool).held());
      const std::string id = std::to_string(getpid());
      QCOMPARE(testing::contents(kPool.lock_path()), id + "\n");
      QCOMPARE(fs::status(kPool.lock_path()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
      const auto beaten = [&](std::chrono::milliseconds ago) {
        fs::last_write_time(kPool.lock_path(), fs::file_time_type::clock::now() - ago);
      };
      beaten(std::chrono::milliseconds(50'000));
      QCOMPARE(kPool.heartbeat()->pid, getpid());
      QVERIFY(kPool.heartbeat()->age >= 50 && kPool.heartbeat()->age < 59);
      QCOMPARE(kPool.hang(), "");
      beaten(std::chrono::milliseconds(-50'000));  // by another clock
      QCOMPARE(kPool.heartbeat()->age, 0.0);
      beaten(std::chrono::milliseconds(100'000));
      VERIFY_HOLDS(kPool.hang(), "batchscope-pool, process " + id + ", has not answered for 10",
                   " s and holds " + kPool.lock_path().string() + ": kill -CONT " + id +
                       " if it was stopped, else kill -KILL " + id);
      pool.beat();
      QCOMPARE(kPool.hang(), "");
      testing::write_file(kPool.lock_path(), "");  // it does not say who it is
      beaten(std::chrono::milliseconds(100'000));
      QCOMPARE(kPool.hang(), "");
    }
    QVERIFY(!kPool.alive() && !kPool.heartbeat());
    QCOMPARE(kPool.hang(), "");
  }
};

BATCHSCOPE_TEST(TestSupervisionParts)
#include "test_supervision_parts.moc"
