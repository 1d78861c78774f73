// SPDX-License-Identifier: Apache-2.0
//
// The pool as supervisors see it: it is called where it is needed, and what it decides they do not.
#include "batchscope/run/pool.h"
#include "rows.h"
#include "scenario.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::AutoReplicas;
using Command = protocol::Request::Command;
using Devices = std::vector<std::string>;

class TestPool : public Scenario {
  Q_OBJECT

 private Q_SLOTS:
  void init() { begin(); }
  void cleanup() { qunsetenv("CUDA_VISIBLE_DEVICES"); }

  void thereIsOneAStore() {
    QVERIFY(!kPool.alive());
    {
      const StoreLock lock(kPool);
      QVERIFY(lock.held());
      QVERIFY(kPool.alive());
      QVERIFY(!StoreLock(kPool).held());
      QVERIFY(kPool.alive());  // another one that went has not taken it along
      kPool.start();           // does nothing
    }
    QVERIFY(!kPool.heartbeat() && kPool.hang().empty());
    QVERIFY(!kPool.alive());
    kPool.start();
    QVERIFY(eventually([] { return kPool.alive(); }));
    QVERIFY(!StoreLock(kPool).held());
    std::filesystem::remove(kPool.lock_path());

    qputenv("BATCHSCOPE_BIN", file("").c_str());
    VERIFY_THROWS("not_found", "batchscope-pool is missing", kPool.start());
  }

  // Supervisors that it gives devices to start it, and it outlives them.
  void supervisorsCallForIt() {
    const std::string first = start(elastic()), second = start(elastic());
    QVERIFY(eventually([] { return kPool.alive(); }));
    VERIFY_STORY(first, tells(first, "the pool decides the number of replicas"));
    std::filesystem::remove(kPool.lock_path());
    QVERIFY(eventually([] { return kPool.alive(); }));
    VERIFY_STORY(first, stops(first));
    VERIFY_STORY(second, stops(second));
    QVERIFY(kPool.alive());
  }

  void aPoolThatCannotBeStartedIsToldOf() {
    namespace fs = std::filesystem;
    const fs::path programs = file("programs");
    fs::create_directory(programs);
    fs::create_symlink(BATCHSCOPE_TEST_BIN "/batchscope", programs / "batchscope");
    qputenv("BATCHSCOPE_BIN", programs.c_str());
    const std::string first = start(elastic()), second = start(elastic());
    VERIFY_STORY(first, tells(first, "no pool is running to give devices to the runs that wait"));
    VERIFY_STORY(first, tells(first, "batchscope-pool is missing"));
  }

  void nobodyCallsWhereItIsNotNeeded() {
    const std::string id = start(elastic());
    VERIFY_RUN(trains(id, 2));
    VERIFY_RUN(stops(id));
    QVERIFY(!std::filesystem::exists(kPool.lock_path()));
  }

  void aRunThatEndsLeavesDevicesToThoseThatWait() {
    const std::string waiting = catalogue().submit_run(elastic(), {});
    catalogue().hold(waiting, true);
    const std::string id = train(1);
    catalogue().hold(waiting, false);
    VERIFY_RUN(stops(id));
    QVERIFY(eventually([] { return kPool.alive(); }));
  }

  void whereThereIsNoneTheRunDecidesItself() {
    std::optional<StoreLock> pool(std::in_place, kPool);
    const std::string id = start(elastic());
    VERIFY_RUN(tells(id, "the pool decides the number of replicas"));
    QCOMPARE(catalogue().generations(id).size(), 1u);
    pool.reset();
    VERIFY_RUN(trains(id, 2));
  }

  void whatItDoesIsToldApartFromWhatAPersonDoes() {
    qputenv("CUDA_VISIBLE_DEVICES", "4,5,6");
    protocol::RunSpec spec = spec_of(1, {"--steps", "1000000"});
    spec.device = "cuda";
    const std::string id = start(spec);
    VERIFY_RUN(trains(id, 1));
    ask(id, Command::pause);
    VERIFY_RUN(reaches(id, protocol::RunState::paused));
    VERIFY_RUN(tells(id, "paused"));
    by_pool(id, Command::resume, {"cuda:5"});
    VERIFY_RUN(trains(id, 1));
    by_pool(id, Command::rescale, {"cuda:5", "cuda:6"});
    VERIFY_RUN(trains(id, 2));
    const auto status = ask(id, Command::status).get<protocol::RunStatus>();
    QCOMPARE(status.devices, (Devices{"cuda:5", "cuda:6"}));
    QVERIFY(status.rescalable);
    QCOMPARE(status.max_profiled, 2);
    QVERIFY(status.pause > 0);
    QCOMPARE(catalogue().generations(id).back().reason, "pool");
    by_pool(id, Command::pause, {});
    VERIFY_RUN(tells(id, "paused by the pool: its devices are needed"));

    std::string story;
    for (const storage::LeaseEvent& event : catalogue().lease_events(0))
      story += event.device + " " + std::to_string(event.generation) + " " + event.why + "; ";
    QCOMPARE(story, std::string("cuda:4 0 start; cuda:5 1 pool; cuda:6 2 pool; "));
  }

  // It says where. Who says how many stays who it was: with a number, it is this one from then on.
  void aPersonMayNameDevicesOfARunInTheQueue_data() {
    const auto row = testing::columns<bool, bool>({"queued", "automatic"});
    row("a number, in the queue", true, false);
    row("automatic, in the queue", true, true);
    row("automatic, by itself", false, true);
  }
  void aPersonMayNameDevicesOfARunInTheQueue() {
    QFETCH(bool, queued);
    QFETCH(bool, automatic);
    const StoreLock pool(kPool);
    qputenv("CUDA_VISIBLE_DEVICES", "4,5,6");
    protocol::RunSpec spec = spec_of(1, {"--steps", "1000000"});
    spec.device = "cuda";
    if (automatic) spec.auto_replicas = AutoReplicas{1, 3};
    const std::string id = queued ? catalogue().submit_run(spec, {}) : start(spec);
    if (queued) spawn_supervisor(id, 1, {"cuda:4"});
    VERIFY_RUN(reaches(id, protocol::RunState::running));
    protocol::Request rescale;
    rescale.command = Command::rescale;
    rescale.devices = {"cuda:5", "cuda:6"};
    request(id, rescale, 20000);
    VERIFY_RUN(trains(id, 2));
    QCOMPARE(ask(id, Command::status).get<protocol::RunStatus>().devices, rescale.devices);
    VERIFY_RUN(stops(id));
    QVERIFY(catalogue().run(id)->spec.auto_replicas == spec.auto_replicas);
    QCOMPARE(catalogue().run(id)->spec.replicas, automatic ? 1 : 2);
  }

  // It waits for its turn, and trains when the pool says where.
  void whoIsResumedInTheQueueGetsNoDevicesByName() {
    const StoreLock pool(kPool);
    qputenv("CUDA_VISIBLE_DEVICES", "4,5");
    protocol::RunSpec spec = spec_of(1, {"--steps", "1000000"});
    spec.device = "cuda";
    const std::string id = catalogue().submit_run(spec, {});
    spawn_supervisor(id, 1, {"cuda:4"});
    VERIFY_RUN(reaches(id, protocol::RunState::running));
    ask(id, Command::pause);
    VERIFY_RUN(reaches(id, protocol::RunState::paused));
    QVERIFY(catalogue().job(id)->rests);
    protocol::Request resume;
    resume.command = Command::resume;
    resume.devices = {"cuda:5"};
    VERIFY_THROWS("conflict", "the pool chooses its devices", request(id, resume, 20000));
    QVERIFY(catalogue().job(id)->rests);
    ask(id, Command::resume);
    QVERIFY(!catalogue().job(id)->rests);
    by_pool(id, Command::resume, {"cuda:5"});
    VERIFY_RUN(trains(id, 1));
    VERIFY_RUN(stops(id));
  }

  void aProgramThatSaysNothingIsNotRescaledUnasked() {
    const std::string id = start(1, {"--steps", "1000000", "--silent"});
    const auto status = ask(id, Command::status).get<protocol::RunStatus>();
    QVERIFY(!status.rescalable);
    QCOMPARE(status.max_profiled, 0);
  }

  // A supervisor that comes too late for its devices has changed nothing.
  void whoWaitsGoesOnWaitingWhereItsDevicesAreTaken() {
    qputenv("CUDA_VISIBLE_DEVICES", "0");
    protocol::RunSpec spec = spec_of(1, {"--steps", "1000000"});
    spec.device = "cuda";
    const std::string holder = start(spec);
    VERIFY_STORY(holder, trains(holder, 1));
    const std::string waiting = catalogue().submit_run(spec, {});
    spawn_supervisor(waiting, 1, {"cuda:0"});
    const std::filesystem::path log = protocol::run_paths(waiting).root / "supervisor.log";
    QVERIFY(eventually(
        [&] { return testing::holds(testing::contents(log), "cuda:0 by run scenario (" + holder); }));
    QVERIFY(eventually([&] { return supervisor(waiting) == 0; }));
    QCOMPARE(catalogue().run(waiting)->state, protocol::RunState::pending);
    VERIFY_STORY(holder, stops(holder));
    spawn_supervisor(waiting, 1, {"cuda:0"});
    VERIFY_STORY(waiting, reaches(waiting, protocol::RunState::running));
  }

 private:
  protocol::RunSpec elastic() const {
    protocol::RunSpec spec = spec_of(1, {"--steps", "1000000", "--model"});
    spec.auto_replicas = AutoReplicas{1, 2};
    return spec;
  }

  static void by_pool(const std::string& id, Command command, const Devices& devices) {
    protocol::Request r;
    r.command = command;
    r.devices = devices;
    r.by_pool = true;
    request(id, r, 20000);
  }
};

BATCHSCOPE_TEST(TestPool)
#include "test_pool.moc"
