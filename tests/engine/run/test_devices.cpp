// SPDX-License-Identifier: Apache-2.0
//
// Devices between real supervisors. CUDA_VISIBLE_DEVICES makes up GPUs, which the fake replica never touches.
#include <sched.h>

#include <fstream>

#include "scenario.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::run;
using Command = protocol::Request::Command;
using Devices = std::vector<std::string>;

namespace {

// What the error of a call says; empty where it has none.
QString refusal(ErrorKind kind, const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    if (error.kind() == kind) return QString::fromUtf8(error.what());
  }
  return {};
}

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

class TestDevices : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cleanup() { qunsetenv("CUDA_VISIBLE_DEVICES"); }

  void gpusAreOneRunsAlone() {
    qputenv("CUDA_VISIBLE_DEVICES", "4,5");
    Scenario scenario;
    protocol::RunSpec spec = scenario.spec(1, kEndless);
    spec.device = "cuda";
    const std::string first = start_run(scenario.catalogue(), spec);
    QVERIFY2(scenario.trains(first, 1), scenario.story(first).c_str());

    spec.replicas = 2;
    const QString refused = refusal(ErrorKind::conflict, [&] { start_run(scenario.catalogue(), spec); });
    QVERIFY2(refused.contains(QString::fromStdString("cuda:4 by run scenario (" + first)),
             qPrintable(refused));
    QCOMPARE(scenario.catalogue().runs().size(), 1u);  // it was not even made

    spec.replicas = 1;
    const std::string second = start_run(scenario.catalogue(), spec);
    QVERIFY2(scenario.trains(second, 1), scenario.story(second).c_str());
    QCOMPARE(scenario.catalogue().run(second)->devices, Devices{"cuda:5"});
    const QString full = refusal(ErrorKind::conflict, [&] { scenario.ask(first, Command::rescale, 2); });
    QVERIFY2(full.contains(QString::fromStdString("cuda:5 by run scenario (" + second)), qPrintable(full));
    QVERIFY(scenario.trains(first, 1));
    QCOMPARE(scenario.catalogue().generations(first).size(), 1u);

    scenario.ask(second, Command::pause);
    QVERIFY2(scenario.reaches(second, protocol::RunState::paused), scenario.story(second).c_str());
    QVERIFY(scenario.catalogue().run(second)->devices.empty());
    scenario.ask(first, Command::rescale, 2);
    QVERIFY2(scenario.trains(first, 2), scenario.story(first).c_str());
    QCOMPARE(scenario.catalogue().run(first)->devices, (Devices{"cuda:4", "cuda:5"}));
    const auto given = protocol::Json::parse(std::ifstream(protocol::run_paths(first).environment));
    QCOMPARE(given.at("CUDA_VISIBLE_DEVICES").get<std::string>(), std::string("4,5"));

    QVERIFY(!refusal(ErrorKind::conflict, [&] { scenario.ask(second, Command::resume); }).isEmpty());
    QCOMPARE(scenario.catalogue().run(second)->state, protocol::RunState::paused);
    scenario.ask(first, Command::rescale, 1);
    QVERIFY(scenario.trains(first, 1));
    QVERIFY(
        Scenario::eventually([&] { return scenario.catalogue().run(first)->devices == Devices{"cuda:4"}; }));
    scenario.ask(second, Command::resume);
    QVERIFY2(scenario.trains(second, 1), scenario.story(second).c_str());
  }

  void whatADeadRunHeldIsFree() {
    qputenv("CUDA_VISIBLE_DEVICES", "0");
    Scenario scenario;
    protocol::RunSpec spec = scenario.spec(1, kEndless);
    spec.device = "cuda";
    const std::string first = start_run(scenario.catalogue(), spec);
    QVERIFY2(scenario.trains(first, 1), scenario.story(first).c_str());
    ::kill(static_cast<pid_t>(scenario.catalogue().run(first)->supervisor_pid), SIGKILL);
    QVERIFY(Scenario::eventually([&] { return scenario.catalogue().leases().empty(); }));
    const std::string second = start_run(scenario.catalogue(), spec);
    QVERIFY2(scenario.trains(second, 1), scenario.story(second).c_str());
    QVERIFY(!refusal(ErrorKind::conflict, [&] { resume_run(scenario.catalogue(), first); }).isEmpty());
    scenario.ask(second, Command::stop);
    QVERIFY(scenario.reaches(second, protocol::RunState::stopped));
    resume_run(scenario.catalogue(), first);
    QVERIFY2(scenario.trains(first, 1), scenario.story(first).c_str());
  }

  void gpusAreSharedWhereThatIsAllowed() {
    qputenv("CUDA_VISIBLE_DEVICES", "0");
    Scenario scenario;
    protocol::RunSpec spec = scenario.spec(1, kEndless);
    spec.device = "cuda";
    spec.oversubscribe = true;
    const std::string first = start_run(scenario.catalogue(), spec);
    QVERIFY2(scenario.trains(first, 1), scenario.story(first).c_str());
    const std::string second = start_run(scenario.catalogue(), spec);
    QVERIFY2(scenario.tells(second, "GPUs are shared with another run"), scenario.story(second).c_str());
    scenario.ask(second, Command::rescale, 2);
    QVERIFY2(scenario.trains(second, 2), scenario.story(second).c_str());
    QCOMPARE(scenario.catalogue().leases().size(), 2u);
  }

  void gpusThatAProgramCannotUseAreGivenBack() {
    qputenv("CUDA_VISIBLE_DEVICES", "0");
    Scenario scenario;
    const std::string id = scenario.start(1, kEndless);  // on any device; it finds no CUDA
    VERIFY_RUN(scenario.trains(id, 1));
    const Devices devices = scenario.catalogue().run(id)->devices;
    QVERIFY(!devices.empty());
    for (const std::string& device : devices) QVERIFY2(device.starts_with("cpu:"), device.c_str());
  }

  // A run for any device that has found GPUs is not moved to cores behind its owner's back.
  void whoTrainsOnGpusStaysOnThem() {
    qputenv("CUDA_VISIBLE_DEVICES", "0,1,2");
    Scenario scenario;
    const std::string id = scenario.start(1, {"--steps", "1000000", "--device", "cuda:0"});
    VERIFY_RUN(scenario.trains(id, 1));
    QCOMPARE(scenario.catalogue().run(id)->devices, Devices{"cuda:0"});
    protocol::RunSpec spec = scenario.spec(1, kEndless);
    spec.device = "cuda";
    const std::string other = start_run(scenario.catalogue(), spec);
    QVERIFY2(scenario.trains(other, 1), scenario.story(other).c_str());
    const std::string silent =
        scenario.start(1, {"--steps", "1000000", "--silent"});  // it may use what it has
    QVERIFY(
        Scenario::eventually([&] { return scenario.catalogue().run(silent)->devices == Devices{"cuda:2"}; }));
    for (const std::string& run : {id, silent}) {
      const QString refused = refusal(ErrorKind::conflict, [&] { scenario.ask(run, Command::rescale, 2); });
      QVERIFY2(refused.contains("1 of 3 is free"), qPrintable(refused));
    }
    QVERIFY(scenario.trains(id, 1));
  }

  void moreReplicasThanCoresAreWarnedOf() {
    const OneCore one;
    Scenario scenario;
    const std::string id = scenario.start(1, kEndless);
    VERIFY_RUN(scenario.trains(id, 1));
    scenario.ask(id, Command::rescale, 2);
    VERIFY_RUN(scenario.trains(id, 2));
    VERIFY_RUN(scenario.tells(id, "2 replicas share 1 core and will wait for one another"));
    QCOMPARE(scenario.catalogue().run(id)->devices.size(), 1u);
  }
};

BATCHSCOPE_TEST(TestDevices)
#include "test_devices.moc"
