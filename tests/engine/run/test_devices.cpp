// SPDX-License-Identifier: Apache-2.0
//
// Devices between real supervisors. CUDA_VISIBLE_DEVICES makes up GPUs, which the fake replica never touches.
#include <sched.h>

#include <fstream>

#include "scenario.h"

using namespace batchscope;
using namespace batchscope::run;
using Command = protocol::Request::Command;
using Devices = std::vector<std::string>;

namespace {

// This process, and what it starts, may run on one core alone.
class OneCore {
 public:
  OneCore() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int core = 0; CPU_COUNT(&one) == 0; ++core)
      if (CPU_ISSET(core, &before_)) CPU_SET(core, &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~OneCore() { sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_;
};

const std::vector<std::string> kEndless{"--steps", "1000000"};

}  // namespace

class TestDevices : public Scenario {
  Q_OBJECT

 private Q_SLOTS:
  void init() { begin(); }
  void cleanup() { qunsetenv("CUDA_VISIBLE_DEVICES"); }

  void gpusAreOneRunsAlone() {
    qputenv("CUDA_VISIBLE_DEVICES", "4,5");
    protocol::RunSpec spec = on_gpus();
    const std::string first = start(spec);
    VERIFY_STORY(first, trains(first, 1));

    spec.replicas = 2;
    VERIFY_THROWS("conflict", "cuda:4 by run scenario (" + first, start(spec));
    QCOMPARE(catalogue().runs().size(), 1u);  // it was not even made

    spec.replicas = 1;
    const std::string second = start(spec);
    VERIFY_STORY(second, trains(second, 1));
    QCOMPARE(catalogue().run(second)->devices, Devices{"cuda:5"});
    VERIFY_THROWS("conflict", "cuda:5 by run scenario (" + second, ask(first, Command::rescale, 2));
    QVERIFY(trains(first, 1));
    QCOMPARE(catalogue().generations(first).size(), 1u);

    ask(second, Command::pause);
    VERIFY_STORY(second, reaches(second, protocol::RunState::paused));
    QVERIFY(catalogue().run(second)->devices.empty());
    ask(first, Command::rescale, 2);
    VERIFY_STORY(first, trains(first, 2));
    QCOMPARE(catalogue().run(first)->devices, (Devices{"cuda:4", "cuda:5"}));
    const auto given = protocol::Json::parse(std::ifstream(protocol::run_paths(first).environment));
    QCOMPARE(given.at("CUDA_VISIBLE_DEVICES").get<std::string>(), std::string("4,5"));

    QCOMPARE(testing::kind_of([&] { ask(second, Command::resume); }), "conflict");
    QCOMPARE(catalogue().run(second)->state, protocol::RunState::paused);
    ask(first, Command::rescale, 1);
    QVERIFY(trains(first, 1));
    QVERIFY(eventually([&] { return catalogue().run(first)->devices == Devices{"cuda:4"}; }));
    ask(second, Command::resume);
    VERIFY_STORY(second, trains(second, 1));
  }

  void namedDevicesAreGivenAndKept() {
    qputenv("CUDA_VISIBLE_DEVICES", "4,5,6");
    const protocol::RunSpec spec = on_gpus();
    const std::string first = start(spec);
    VERIFY_STORY(first, trains(first, 1));
    const std::string second = start(spec);
    VERIFY_STORY(second, trains(second, 1));

    ask_on(first, Command::rescale, {"cuda:6"});
    VERIFY_STORY(first, trains_in(first, 1, {"cuda:6"}));
    const auto given = protocol::Json::parse(std::ifstream(protocol::run_paths(first).environment));
    QCOMPARE(given.at("CUDA_VISIBLE_DEVICES").get<std::string>(), std::string("6"));
    ask_on(first, Command::rescale, {"cuda:6"});
    VERIFY_THROWS("conflict", "cuda:5 by run scenario (" + second,
                  ask_on(first, Command::rescale, {"cuda:5", "cuda:6"}));
    VERIFY_THROWS("conflict", "no cuda:0", ask_on(first, Command::rescale, {"cuda:0"}));
    QVERIFY(trains(first, 1));
    QCOMPARE(catalogue().generations(first).size(), 2u);  // that it trains on already is not a move

    ::kill(replicas(first).at(0).pid, SIGKILL);
    VERIFY_STORY(first, trains_in(first, 2, {"cuda:6"}));

    ask(first, Command::pause);
    VERIFY_STORY(first, reaches(first, protocol::RunState::paused));
    QVERIFY(catalogue().run(first)->devices.empty());
    ask_on(first, Command::resume, {"cuda:6", "cuda:4"});
    VERIFY_STORY(first, trains_in(first, 3, {"cuda:4", "cuda:6"}));
    VERIFY_STORY(first, stops(first));
    resume_run(catalogue(), first, 0, {"cuda:4"});
    VERIFY_STORY(first, trains_in(first, 4, {"cuda:4"}));
    VERIFY_STORY(first, stops(first));
    VERIFY_THROWS("conflict", "cuda:5 by run scenario", resume_run(catalogue(), first, 0, {"cuda:5"}));
    spawn_supervisor(first, 1, {"cuda:6"});
    VERIFY_STORY(first, trains_in(first, 5, {"cuda:6"}));
  }

  // Naming devices does not change who may choose how many.
  void namedDevicesLeaveAutoAsItIs() {
    qputenv("CUDA_VISIBLE_DEVICES", "0,1");
    protocol::RunSpec spec = on_gpus();
    spec.auto_replicas = protocol::AutoReplicas{1, 2};
    const std::string id = start(spec);
    VERIFY_RUN(trains(id, 1));
    ask_on(id, Command::rescale, {"cuda:1"});
    VERIFY_RUN(trains_in(id, 1, {"cuda:1"}));
    QVERIFY(catalogue().run(id)->spec.auto_replicas.has_value());
  }

  void whatADeadRunHeldIsFree() {
    qputenv("CUDA_VISIBLE_DEVICES", "0");
    protocol::RunSpec spec = on_gpus();
    const std::string first = start(spec);
    VERIFY_STORY(first, trains(first, 1));
    ::kill(supervisor(first), SIGKILL);
    QVERIFY(eventually([&] { return catalogue().leases().empty(); }));
    const std::string second = start(spec);
    VERIFY_STORY(second, trains(second, 1));
    QCOMPARE(testing::kind_of([&] { resume(first); }), "conflict");
    ask(second, Command::stop);
    QVERIFY(reaches(second, protocol::RunState::stopped));
    resume(first);
    VERIFY_STORY(first, trains(first, 1));
  }

  void gpusAreSharedWhereThatIsAllowed() {
    qputenv("CUDA_VISIBLE_DEVICES", "0");
    protocol::RunSpec spec = on_gpus();
    spec.oversubscribe = true;
    const std::string first = start(spec);
    VERIFY_STORY(first, trains(first, 1));
    const std::string second = start(spec);
    VERIFY_STORY(second, tells(second, "GPUs are shared with another run"));
    ask(second, Command::rescale, 2);
    VERIFY_STORY(second, trains(second, 2));
    QCOMPARE(catalogue().leases().size(), 2u);
  }

  void gpusThatAProgramCannotUseAreGivenBack() {
    qputenv("CUDA_VISIBLE_DEVICES", "0");
    const std::string id = start(1, kEndless);  // on any device; it finds no CUDA
    VERIFY_RUN(trains(id, 1));
    const Devices devices = catalogue().run(id)->devices;
    QVERIFY(!devices.empty());
    for (const std::string& device : devices) QVERIFY2(device.starts_with("cpu:"), device.c_str());
  }

  // A run for any device that has found GPUs is not moved to cores behind its owner's back.
  void whoTrainsOnGpusStaysOnThem() {
    qputenv("CUDA_VISIBLE_DEVICES", "0,1,2");
    const std::string id = start(1, {"--steps", "1000000", "--device", "cuda:0"});
    VERIFY_RUN(trains(id, 1));
    QCOMPARE(catalogue().run(id)->devices, Devices{"cuda:0"});
    protocol::RunSpec spec = on_gpus();
    const std::string other = start(spec);
    VERIFY_STORY(other, trains(other, 1));
    const std::string silent = start(1, {"--steps", "1000000", "--silent"});  // it may use what it has
    QVERIFY(eventually([&] { return catalogue().run(silent)->devices == Devices{"cuda:2"}; }));
    for (const std::string& run : {id, silent}) {
      VERIFY_THROWS("conflict", "1 of 3 is free", ask(run, Command::rescale, 2));
    }
    QVERIFY(trains(id, 1));
  }

  void moreReplicasThanCoresAreWarnedOf() {
    const OneCore one;
    const std::string id = start(1, kEndless);
    VERIFY_RUN(trains(id, 1));
    ask(id, Command::rescale, 2);
    VERIFY_RUN(trains(id, 2));
    VERIFY_RUN(tells(id, "2 replicas share 1 core and will wait for one another"));
    QCOMPARE(catalogue().run(id)->devices.size(), 1u);
  }

 private:
  void ask_on(const std::string& id, Command command, const Devices& devices) {
    protocol::Request r;
    r.command = command;
    r.devices = devices;
    request(id, r, 20000);
  }

  // The generation, one replica on each of these and none held beside them.
  bool trains_in(const std::string& id, int generation, const Devices& devices) {
    return eventually([&] {
      const auto run = catalogue().run(id);
      const auto generations = catalogue().generations(id);
      return run->state == protocol::RunState::running && run->devices == devices &&
             std::ssize(generations) == generation + 1 && generations.back().first_step > 0 &&
             generations.back().replicas == std::ssize(devices);
    });
  }

  protocol::RunSpec on_gpus() const {
    protocol::RunSpec spec = spec_of(1, kEndless);
    spec.device = "cuda";
    return spec;
  }
};

BATCHSCOPE_TEST(TestDevices)
#include "test_devices.moc"
