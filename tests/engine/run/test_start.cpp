// SPDX-License-Identifier: Apache-2.0
//
// Runs that can be started or resumed, what a new supervisor is told, and what a run of the queue asks for
// from then on. The supervisor ends at once here, and a pool is there that decides nothing.
#include "batchscope/run/client.h"

#include <QScopeGuard>
#include <thread>

#include "batchscope/run/machine.h"
#include "batchscope/run/pool.h"
#include "batchscope/run/script.h"
#include "rows.h"
#include "stored_runs.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::AutoReplicas;
using protocol::RunState;

class TestStart : public QObject {
  Q_OBJECT

  std::unique_ptr<StoredRuns> runs_;
  std::optional<StoreLock> pool_;

  // Returns a run of the queue that was stopped.
  std::string queued(const protocol::RunSpec& spec) const {
    const std::string id = runs_->catalogue().submit_run(spec, {});
    runs_->catalogue().set_state(id, RunState::stopped, "for now");
    return id;
  }
  protocol::RunSpec automatic() const {
    protocol::RunSpec spec = runs_->spec();
    spec.replicas = 2;
    spec.auto_replicas = AutoReplicas{1, 3};
    return spec;
  }

 private Q_SLOTS:
  void init() {
    pool_.reset();
    runs_ = std::make_unique<StoredRuns>();
    pool_.emplace(kPool);
  }

  // One that can be executed names its interpreter itself.
  void aPythonScriptThatIsNoProgramHasAnInterpreter() {
    const QByteArray kept = qgetenv("PYTHON");
    const auto restore = qScopeGuard([&] { kept.isNull() ? qunsetenv("PYTHON") : qputenv("PYTHON", kept); });
    qunsetenv("PYTHON");
    testing::write_file(runs_->path("train.py"), "print()");
    testing::write_file(runs_->path("train.sh"), "echo");
    QCOMPARE(interpreter_of(runs_->path("train.py")), "/usr/bin/python3");
    qputenv("PYTHON", "");
    QCOMPARE(interpreter_of(runs_->path("train.py")), "/usr/bin/python3");
    qputenv("PYTHON", "python3.12");
    QCOMPARE(interpreter_of(runs_->path("train.py")), "python3.12");
    QCOMPARE(interpreter_of(runs_->path("train.sh")), "");
    QCOMPARE(interpreter_of(runs_->path("missing.py")), "");
    std::filesystem::create_directory(runs_->path("folder.py"));
    QCOMPARE(interpreter_of(runs_->path("folder.py")), "");
    runs_->add_program("program.py", "true");
    QCOMPARE(interpreter_of(runs_->path("program.py")), "");
  }

  void whatCannotBeStartedSaysWhy() {
    storage::Catalogue& catalogue = runs_->catalogue();
    protocol::RunSpec spec = runs_->spec();
    check_start(catalogue, spec);
    spec.program = "true";
    VERIFY_THROWS("usage", "'true' must be given by its absolute path", check_start(catalogue, spec));
    spec.program = "/nothing/there";
    VERIFY_THROWS("not_found", "there is no program /nothing/there", check_start(catalogue, spec));
    spec.program = "/dev/null";
    VERIFY_THROWS("usage", "/dev/null is not a program", check_start(catalogue, spec));
    spec = runs_->spec();
    spec.working_directory = "/nothing/there";
    VERIFY_THROWS("not_found", "there is no working directory '/nothing/there'",
                  check_start(catalogue, spec));
    QVERIFY(catalogue.runs().empty());
  }

  // It waits in vain where the machine has too few.
  void whereWaitingHelpsTheQueueIsNamed() {
    qputenv("CUDA_VISIBLE_DEVICES", "0,1");
    const auto forget = qScopeGuard([] { qunsetenv("CUDA_VISIBLE_DEVICES"); });
    storage::Catalogue& catalogue = runs_->catalogue();
    const std::string holder = runs_->add(runs_->spec());
    catalogue.lease_devices(holder,
                            [](const auto&, const auto&) { return std::vector<std::string>{"cuda:0"}; });
    protocol::RunSpec spec = runs_->spec();
    spec.device = "cuda";
    check_start(catalogue, spec);
    spec.replicas = 2;
    VERIFY_THROWS("conflict", "; `batchscope submit` waits until they are free",
                  check_start(catalogue, spec));
    spec.replicas = 3;
    const std::string refusal = testing::thrown_by([&] { check_start(catalogue, spec); });
    VERIFY_HOLDS(refusal, "conflict: ");
    QVERIFY2(!testing::holds(refusal, "submit"), refusal.c_str());
  }

  void aRunOfTheQueueAsksForWhatItDidBefore() {
    const std::string id = queued(automatic());
    resume_run(runs_->catalogue(), id);
    const storage::Run run = runs_->catalogue().run(id).value();
    QCOMPARE(run.state, RunState::pending);
    QCOMPARE(run.message, "");
    QCOMPARE(run.spec.replicas, 2);
    QVERIFY(run.spec.auto_replicas == (AutoReplicas{1, 3}));
    QCOMPARE(runs_->called(), "");
  }

  // It may have ended meanwhile.
  void thePoolIsCalledForARunOfTheQueue() {
    pool_.reset();
    runs_->add_program("batchscope-pool", "echo called > \"${0%/*}/pool-called\"");
    resume_run(runs_->catalogue(), queued(automatic()));
    QVERIFY(QTest::qWaitFor([&] { return std::filesystem::exists(runs_->path("pool-called")); }, 20'000));
  }

  void aNumberIsAPersonsChoice() {
    const std::string id = queued(automatic());
    resume_run(runs_->catalogue(), id, 1);
    const storage::Run run = runs_->catalogue().run(id).value();
    QCOMPARE(run.state, RunState::pending);
    QCOMPARE(run.spec.replicas, 1);
    QVERIFY(!run.spec.auto_replicas);
  }

  void whatThePoolWillNotDoChangesNothing() {
    const std::string id = queued(automatic());
    VERIFY_THROWS("conflict", "the pool chooses its devices",
                  resume_run(runs_->catalogue(), id, 0, {"cpu:0"}));
    VERIFY_THROWS("conflict", "too many", resume_run(runs_->catalogue(), id, 4000));
    const storage::Run run = runs_->catalogue().run(id).value();
    QCOMPARE(run.state, RunState::stopped);
    QCOMPARE(run.spec.replicas, 2);
    QVERIFY(run.spec.auto_replicas == (AutoReplicas{1, 3}));
  }

  void aSupervisorIsToldWhatAPersonSaid() {
    const std::string id = runs_->add(runs_->spec()), core = Machine::here().cores.front();
    const auto resumed = [&](int replicas, const std::vector<std::string>& devices) {
      return testing::thrown_by([&] { resume_run(runs_->catalogue(), id, replicas, devices); });
    };
    std::filesystem::remove_all(protocol::run_paths(id).root);  // it is made again
    for (const std::string& refusal : {resumed(0, {}), resumed(2, {}), resumed(0, {core})})
      VERIFY_HOLDS(refusal, "timeout: the supervisor of run " + id + " ended at once");
    QVERIFY(std::filesystem::is_directory(protocol::run_paths(id).checkpoints));
    const std::string supervise = "supervise " + id;
    QCOMPARE(runs_->called(), supervise + "\n" + supervise + " --replicas 2\n" + supervise +
                                  " --replicas 1 --devices " + core + "\n");
  }

  void aRunWhoseProgramIsGoneIsNotResumed() {
    protocol::RunSpec spec = runs_->spec();
    runs_->add_program("program", "true");
    spec.program = runs_->path("program").string();
    const std::string id = runs_->add(spec);
    std::filesystem::remove(spec.program);
    VERIFY_THROWS("not_found", "there is no program " + spec.program, resume_run(runs_->catalogue(), id));
    QCOMPARE(runs_->called(), "");
  }

  // Somebody removes it while its supervisor is on its way.
  void aRunThatIsRemovedMeanwhileIsNotStarted() {
    for (const bool trash : {true, false}) {
      const std::string id = runs_->add(runs_->spec());
      const std::filesystem::path begun = runs_->path("begun"), go_on = runs_->path("go-on");
      for (const auto& file : {begun, go_on}) std::filesystem::remove(file);
      runs_->add_program("batchscope",
                         ": > " + begun.string() + "; until [ -e " + go_on.string() + " ]; do :; done");
      const std::jthread other([&] {
        while (!std::filesystem::exists(begun)) std::this_thread::yield();
        storage::Catalogue catalogue(protocol::catalogue_path());
        catalogue.move_to_trash(id);
        if (!trash) catalogue.remove_run(id);
        testing::write_file(go_on, "");
      });
      const std::string thrown = testing::thrown_by([&] { resume_run(runs_->catalogue(), id); });
      QCOMPARE(thrown, trash ? "conflict: run " + id +
                                   " was put into the trash while it was being started; to go on: batchscope "
                                   "restore " +
                                   id + ", batchscope resume " + id
                             : "not_found: run " + id + " was removed while it was being started");
    }
  }

  // A run of a moment. One that was only turned away has changed nothing, and says so.
  void aSupervisorThatHasComeAndGoneHasDoneItsWork_data() {
    const auto row = testing::columns<RunState, bool>({"state", "came"});
    row("finished", RunState::finished, true);
    row("failed", RunState::failed, true);
    row("interrupted", RunState::interrupted, false);
    row("as before", RunState::stopped, false);
  }
  void aSupervisorThatHasComeAndGoneHasDoneItsWork() {
    QFETCH(RunState, state);
    QFETCH(bool, came);
    const std::string id = runs_->add(runs_->spec());
    const std::filesystem::path begun = runs_->path("begun"), go_on = runs_->path("go-on");
    runs_->add_program("batchscope",
                       ": > " + begun.string() + "; until [ -e " + go_on.string() + " ]; do :; done");
    const std::jthread supervisor([&] {
      while (!std::filesystem::exists(begun)) std::this_thread::yield();
      if (state != RunState::stopped) storage::Catalogue(protocol::catalogue_path()).set_state(id, state);
      testing::write_file(go_on, "");
    });
    const std::string thrown = testing::thrown_by([&] { resume_run(runs_->catalogue(), id); });
    VERIFY_HOLDS(thrown,
                 came ? "nothing was thrown" : "timeout: the supervisor of run " + id + " ended at once");
  }

  void theEndOfASupervisorsLogIsHandedOn() {
    runs_->add_program("batchscope", "seq 1 12");
    const std::string id = runs_->add(runs_->spec());
    const std::string thrown = testing::thrown_by([&] { resume_run(runs_->catalogue(), id); });
    QVERIFY2(thrown.ends_with("supervisor.log:\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12"), thrown.c_str());
  }

  void devicesThatCannotBeHadAreRefusedFirst() {
    storage::Catalogue& catalogue = runs_->catalogue();
    const std::string id = runs_->add(runs_->spec());
    VERIFY_THROWS("usage", "'abacus' is not a device", resume_run(catalogue, id, 0, {"abacus"}));
    VERIFY_THROWS("usage", "'abacus' is not a device", spawn_supervisor(id, 1, {"abacus"}));
    VERIFY_THROWS("conflict", "has no cpu:123456", resume_run(catalogue, id, 0, {"cpu:123456"}));
    protocol::RunSpec spec = runs_->spec();
    spec.device = "cuda:7";
    qputenv("CUDA_VISIBLE_DEVICES", "0");
    const auto forget = qScopeGuard([] { qunsetenv("CUDA_VISIBLE_DEVICES"); });
    const std::string other = runs_->add(spec);
    VERIFY_THROWS("conflict", "asks for cuda:7", resume_run(catalogue, other));
    QCOMPARE(runs_->called(), "");
  }

  // Also where its folders were taken away.
  void aSupervisorIsStartedWithoutWaitingForIt() {
    const std::string id = runs_->add(runs_->spec());
    std::filesystem::remove_all(protocol::run_paths(id).root);
    spawn_supervisor(id, 2, {"cpu:0", "cpu:1"});
    QVERIFY(std::filesystem::is_directory(protocol::run_paths(id).checkpoints));
    QVERIFY(QTest::qWaitFor([&] { return !runs_->called().empty(); }, 20'000));
    QCOMPARE(runs_->called(), "supervise " + id + " --replicas 2 --devices cpu:0,cpu:1\n");
  }

  void whatASupervisorSaidLastIsHandedOn() {
    runs_->add_program("batchscope", "echo the disk is gone >&2; exit 1");
    const std::string id = runs_->add(runs_->spec());
    VERIFY_THROWS("timeout", "supervisor.log:\nthe disk is gone", resume_run(runs_->catalogue(), id));
    QCOMPARE(supervisor_last_words(id), "the disk is gone");
  }

  // This process is its supervisor.
  void whoTrainsOrIsDoneIsNotResumed_data() {
    const auto row = testing::columns<RunState, QString>({"state", "complaint"});
    row("finished", RunState::finished, "has finished; start a new one");
    row("pausing", RunState::pausing, "is still pausing: resume it when it is paused");
    row("running", RunState::running, "is running already; `batchscope attach");
    row("paused", RunState::paused, "is paused already; `batchscope attach");
  }
  void whoTrainsOrIsDoneIsNotResumed() {
    QFETCH(RunState, state);
    QFETCH(QString, complaint);
    const std::string id = runs_->add(runs_->spec());
    QVERIFY(runs_->catalogue().claim_supervisor(id));
    runs_->catalogue().set_state(id, state);
    VERIFY_THROWS("conflict", complaint.toStdString(), resume_run(runs_->catalogue(), id));
    VERIFY_THROWS("not_found", "there is no run aaaaaaaa", resume_run(runs_->catalogue(), "aaaaaaaa"));
    QCOMPARE(runs_->called(), "");
  }
};

BATCHSCOPE_TEST(TestStart)
#include "test_start.moc"
