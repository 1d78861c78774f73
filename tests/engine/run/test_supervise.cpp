// SPDX-License-Identifier: Apache-2.0
//
// The process of a supervisor: what it begins with, what it refuses, and what it leaves behind.
#include <QProcess>

#include "batchscope/run/end_notice.h"
#include "batchscope/run/machine.h"
#include "played_run.h"
#include "signal_masks.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::RunState;

class TestSupervise : public PlayedRun {
  Q_OBJECT

  std::string errors_;

  // Returns the exit code of a supervisor that has come to its end.
  int supervised(const std::string& id, const QStringList& options = {}) {
    QProcess process;
    process.start(BATCHSCOPE_TEST_BIN "/batchscope",
                  QStringList{QStringLiteral("supervise"), QString::fromStdString(id)} + options);
    if (!process.waitForFinished(20000)) return -1;
    errors_ = process.readAllStandardError().toStdString();
    return process.exitCode();
  }
  // Adds a run of this program, which nobody supervises.
  std::string add(const std::string& program) {
    protocol::RunSpec spec = played(1);
    spec.program = program;
    return catalogue().create_run(spec);
  }
  std::string add_script(const std::string& line) {
    const std::string id = add(file("script"));
    testing::write_file(file("script"), "#!/bin/sh\n" + line + "\n");
    std::filesystem::permissions(file("script"), std::filesystem::perms::owner_all);
    return id;
  }

 private Q_SLOTS:
  void init() { begin(); }

  void itsExitCodeSaysHowTheRunEnded() {
    const std::string finished = add("/bin/true"), failed = add("/bin/false");
    QCOMPARE(supervised(finished), 0);
    QCOMPARE(catalogue().run(finished)->state, RunState::finished);
    QCOMPARE(catalogue().run(finished)->fraction, 1.0);
    QCOMPARE(supervised(failed), static_cast<int>(kExitFailure));
    QCOMPARE(catalogue().run(failed)->state, RunState::failed);

    const std::string stopped = catalogue().create_run(played(1));
    QProcess process;
    process.start(BATCHSCOPE_TEST_BIN "/batchscope",
                  {QStringLiteral("supervise"), QString::fromStdString(stopped)});
    const PlayedReplica replica(file(""), 0, 0);
    QCOMPARE(catalogue().run(stopped)->state, RunState::starting);
    QCOMPARE(supervised(stopped), static_cast<int>(kExitConflict));
    VERIFY_HOLDS(errors_, "run " + stopped + " has a supervisor already");
    QCOMPARE(supervisor(stopped), static_cast<pid_t>(process.processId()));
    ::kill(supervisor(stopped), SIGTERM);
    QVERIFY(replica.gets("TERM\n"));
    replica.exit(143);
    QVERIFY(process.waitForFinished(20000));
    QCOMPARE(process.exitCode(), static_cast<int>(kExitCheckpointed));
    QCOMPARE(supervisor(stopped), 0);
  }

  void whatCannotBeSupervisedIsSaid() {
    QCOMPARE(supervised("aaaaaaaa"), static_cast<int>(kExitNotFound));
    VERIFY_HOLDS(errors_, "there is no run aaaaaaaa");
    const std::string finished = add("/bin/true");
    catalogue().set_state(finished, RunState::finished);
    QCOMPARE(supervised(finished), static_cast<int>(kExitConflict));
    VERIFY_HOLDS(errors_, "run " + finished + " is finished; start a new one");
    QCOMPARE(supervised(finished, {"--devices", "nonsense"}), static_cast<int>(kExitUsage));
  }

  // A run that comes too late for devices has changed nothing.
  void namedDevicesAreTakenFirst() {
    const std::string core = Machine::here().cores.front(), id = add("/bin/true"), other = add("/bin/true");
    catalogue().set_state(id, RunState::stopped, "for now");
    catalogue().lease_devices(other,
                              [&](const auto&, const auto&) { return std::vector<std::string>{core}; });
    for (const std::string& devices : {core, std::string("cpu:123456")}) {
      QCOMPARE(supervised(id, {"--devices", QString::fromStdString(devices)}),
               static_cast<int>(kExitConflict));
      VERIFY_HOLDS(errors_, devices);
      QCOMPARE(catalogue().run(id)->state, RunState::stopped);
      QCOMPARE(catalogue().run(id)->message, "for now");
      QCOMPARE(supervisor(id), 0);
    }
    catalogue().release_devices(other);
    QCOMPARE(supervised(id, {"--devices", QString::fromStdString(core)}), 0);
    const std::string resumed = add("/bin/true");
    storage::Generation before;
    before.number = 2;
    before.ended = 1e9;
    catalogue().put_generation(resumed, before);
    QCOMPARE(supervised(resumed, {"--devices", QString::fromStdString(core)}), 0);
    const auto events = catalogue().lease_events(0);
    for (const std::string& run : {id, resumed}) {
      const auto its =
          std::find_if(events.begin(), events.end(), [&](const auto& e) { return e.run == run; });
      QVERIFY(its != events.end());
      QCOMPARE(its->device, core);
      QCOMPARE(its->why, run == id ? "start" : "resume");
      QCOMPARE(its->generation, run == id ? 0 : 3);
      QVERIFY(its->until > 0);  // it is given back
    }
  }

  void whoCannotBeginSaysWhy() {
    protocol::RunSpec spec = played(1);
    spec.environment[kNotify] = "printf %s > '" + file("told") + "'";
    const std::string id = catalogue().create_run(spec);
    for (const int number : {0, 4}) {
      storage::Generation before;
      before.number = number;
      before.ended = 1e9;
      catalogue().put_generation(id, before);
    }
    const protocol::RunPaths paths = protocol::run_paths(id);
    std::filesystem::create_directories(paths.root);  // for what is said of it
    testing::write_file(paths.runtime, "in the way");
    QCOMPARE(supervised(id), static_cast<int>(kExitFailure));
    const storage::Run run = *catalogue().run(id);
    QCOMPARE(run.state, RunState::failed);
    VERIFY_HOLDS(run.message, paths.runtime.string() + " is not a directory of yours");
    QCOMPARE(told(id), std::vector<std::string>{"error: failed: " + run.message});
    QCOMPARE(catalogue().events(id)[0].generation, 4);
    QCOMPARE(run.supervisor_pid, 0);
    QVERIFY(eventually([&] {
      return std::filesystem::exists(file("told")) &&
             testing::contents(file("told")) == "scenario (" + id + ") failed: " + run.message;
    }));
  }

  // A process that made itself independent of its replica ends with the run.
  void nothingThatReplicasStartedIsLeft() {
    const std::string id = add_script("setsid sleep 1000 > /dev/null 2>&1 & echo $! > detached");
    QCOMPARE(supervised(id), 0);
    pid_t detached = 0;
    std::ifstream(file("detached")) >> detached;
    QVERIFY(detached > 0);
    QVERIFY(eventually([&] { return !is_alive(protocol::identify(detached)); }));
    QVERIFY(!std::filesystem::exists(protocol::run_paths(id).runtime));
  }

  void replicasHaveNoneOfASupervisorsSettings() {
    const std::string id =
        add_script("cat /proc/self/status; readlink /proc/self/fd/0; pwd; echo \"$@\"; echo error >&2");
    protocol::RunSpec spec = catalogue().run(id)->spec;
    spec.arguments = {"a b", "*"};
    catalogue().set_spec(id, spec);
    QCOMPARE(supervised(id), 0);
    const std::string said = testing::contents(protocol::run_paths(id).log_file(0, 0));
    QCOMPARE(signals_of(said, "SigBlk"), 0u);
    QCOMPARE(signals_of(said, "SigIgn"), 0u);
    VERIFY_HOLDS(said, "\n/dev/null\n" + spec.working_directory + "\na b *\nerror\n");
  }
};

BATCHSCOPE_TEST(TestSupervise)
#include "test_supervise.moc"
