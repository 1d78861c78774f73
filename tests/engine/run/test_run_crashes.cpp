// SPDX-License-Identifier: Apache-2.0
//
// Replicas that fail under a supervisor, and what it makes of what they have told: who is to blame, what is
// done about it, what is said of it.
#include <QTimer>

#include "batchscope/protocol/series.h"
#include "batchscope/storage/sweeps.h"
#include "memory_end.h"
#include "played_run.h"
#include "rows.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::Failure;
using protocol::RunState;
using protocol::RunStatus;
using Command = protocol::Request::Command;

class TestRunCrashes : public PlayedRun {
  Q_OBJECT

  static Failure failure(int rank, const std::string& kind, const std::string& text) {
    Failure failed;
    failed.rank = rank;
    failed.kind = kind;
    failed.text = text;
    failed.local_batch_size = 100;
    return failed;
  }
  static std::string of_log(const std::string& id, int generation, int rank) {
    return " (batchscope logs " + id + " --generation " + std::to_string(generation) + " --replica " +
           std::to_string(rank) + ")";
  }

  const double t_ = later();

 private Q_SLOTS:
  void init() { begin(); }

  void aCrashIsToldWithItsCauseAndWhatItCosts() {
    const std::string id = start(played(2));
    {
      const PlayedReplica a(file(""), 0, 0), b(file(""), 0, 1);
      a.say_hello(t_);
      b.say_hello(t_);
      a.make_step(1, t_);
      VERIFY_RUN(comes_to(id, RunState::running));
      StoredRuns::write_checkpoint(id, 1, 1);
      a.tell(protocol::CheckpointWritten{"checkpoint-000001", "periodic", 1, 0, 0, 9, t_, t_, t_ + 1});
      a.make_step(3, t_ + 2);
      a.tell(failure(0, "peer", "rank 1 is gone"));
      b.tell(failure(1, "exception", "std::runtime_error: the sky is falling"));
      a.exit(1);
      b.exit(3);
    }
    const PlayedReplica c(file(""), 1, 0), d(file(""), 1, 1);
    c.say_hello(t_ + 3);
    c.restore("checkpoint-000001", 1, t_ + 3);
    c.make_step(2, t_ + 6, {{protocol::series::kLocalBatchSize, 16}});
    VERIFY_RUN(comes_to(id, RunState::running));
    QCOMPARE(status(id).pause, 4.0);

    // Memory that runs out: too many samples at a time.
    d.say_hello(t_ + 3);
    d.tell(failure(1, "exception", "std::bad_alloc"));
    d.exit(1);
    c.exit(1);
    const PlayedReplica e(file(""), 2, 0), f(file(""), 2, 1);
    QCOMPARE(e.variable("BATCHSCOPE_MAX_LOCAL_BATCH_SIZE"), "50");
    e.say_hello(t_ + 8);
    e.make_step(2, t_ + 8);
    VERIFY_RUN(comes_to(id, RunState::running));
    ask(id, Command::stop);
    e.exit(143);
    f.exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
    COMPARE_TOLD(
        id, kExecuted, "info: training on 2 replicas",
        "error: rank 1 ended with exit code 3: std::runtime_error: the sky is falling; restarting at once "
        "from checkpoint-000001 (step 1), so that 2 steps are repeated" +
            of_log(id, 0, 1),
        "warning: went back to step 1: 2 steps are repeated", "info: restarted on 2 replicas in 4 s",
        "error: rank 1 ran out of memory: std::bad_alloc; it was working on 100 samples at a time, and gets "
        "at most 50 from now on; restarting at once from checkpoint-000001 (step 1), so that 1 step is "
        "repeated" +
            of_log(id, 1, 1),
        "info: restarted on 2 replicas in 2 s", "info: stopped");
    const auto generations = catalogue().generations(id);
    QCOMPARE(generations.size(), 3u);
    QCOMPARE(generations[0].outcome, "crashed: rank 1, exit code 3");
    QCOMPARE(generations[0].last_step, 3);
    QCOMPARE(generations[1].reason, "crash");
    QCOMPARE(generations[1].outcome, "crashed: rank 1, out of memory");
    QCOMPARE(generations[2].reason, "crash");
    QCOMPARE(catalogue().run(id)->spec.max_local_batch_size, 50);

    // The next run of the program begins with the bound.
    protocol::RunSpec spec = played(1);
    const std::string folder = file("another");
    std::filesystem::create_directory(folder);
    spec.working_directory = folder;
    const std::string next = start(spec);
    const PlayedReplica g(folder, 0, 0);
    QCOMPARE(g.variable("BATCHSCOPE_MAX_LOCAL_BATCH_SIZE"), "50");
    ask(next, Command::stop);
    g.exit(143);
    VERIFY_STORY(next, reaches(next, RunState::stopped));
    COMPARE_TOLD(next, kExecuted,
                 "info: local batch size at most 50, as run " + id +
                     " found when it ran out of memory; --max-local-batch-size N tries another bound",
                 "info: stopped");
    QCOMPARE(catalogue().run(next)->spec.max_local_batch_size, 50);
  }

  // There is nothing to lower.
  void oneSampleForWhichThereIsNoMemoryIsTheEnd() {
    const std::string id = start(played(1));
    for (const int generation : {0, 1}) {
      const PlayedReplica a(file(""), generation, 0);
      a.say_hello(t_);
      Failure failed = failure(0, "exception", "std::bad_alloc");
      failed.local_batch_size = 1;
      a.tell(failed);
      a.exit(1);
    }
    VERIFY_RUN(reaches(id, RunState::failed));
    QCOMPARE(catalogue().run(id)->message,
             "the run failed twice in a row before a first step: rank 0 ran out of memory: std::bad_alloc" +
                 of_log(id, 1, 0));
    QCOMPARE(catalogue().run(id)->spec.max_local_batch_size, 0);
  }

  void whoDoesNotHeedABoundGetsALowerOne() {
    protocol::RunSpec spec = played(1);
    spec.max_local_batch_size = 40;
    const std::string id = start(spec);
    {
      const PlayedReplica a(file(""), 0, 0);
      a.say_hello(t_);
      a.tell(failure(0, "exception", "std::bad_alloc"));  // with 100
      a.exit(1);
    }
    const PlayedReplica b(file(""), 1, 0);
    QCOMPARE(b.variable("BATCHSCOPE_MAX_LOCAL_BATCH_SIZE"), "20");
    ask(id, Command::stop);
    b.exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
    VERIFY_HOLDS(told(id)[1], "; it was working on 100 samples at a time, and gets at most 20 from now on; ");
    QCOMPARE(catalogue().run(id)->spec.max_local_batch_size, 20);
  }

  // Not the samples are too many where they fitted before, but the replicas.
  void replicasForWhichThereIsNoMemoryAreTakenBack() {
    const std::string id = start(played(1));
    {
      const PlayedReplica a(file(""), 0, 0);
      a.say_hello(t_);
      a.make_step(1, t_, {{protocol::series::kLocalBatchSize, 100}});
      VERIFY_RUN(comes_to(id, RunState::running));
      ask(id, Command::rescale, 2);
      a.exit(143);
    }
    {
      const PlayedReplica b(file(""), 1, 0), c(file(""), 1, 1);
      b.say_hello(t_);
      b.tell(failure(0, "exception", "std::bad_alloc"));
      b.exit(1);
      c.exit(1);
    }
    const PlayedReplica d(file(""), 2, 0);
    QCOMPARE(d.variable("BATCHSCOPE_MAX_LOCAL_BATCH_SIZE"), "");
    ask(id, Command::stop);
    d.exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
    QCOMPARE(catalogue().generations(id)[2].replicas, 1);
    QVERIFY(told(id)[2].starts_with(
        "error: the restart on 2 replicas failed, back to 1 replica: rank 0 ran out of memory: "));
  }

  // Two in a row that end before a step are enough.
  void theLogHasTheLastWordsOfWhoToldNothing() {
    const std::string id = start(played(1));
    for (const int generation : {0, 1}) {
      const PlayedReplica replica(file(""), generation, 0);
      std::ofstream(protocol::run_paths(id).log_file(generation, 0), std::ios::app) << "no such data set\n";
      replica.exit(2);
    }
    VERIFY_RUN(reaches(id, RunState::failed));
    const std::string what = "rank 0 ended with exit code 2; ", ends = "its log ends with: no such data set";
    const std::string message =
        "the run failed twice in a row before a first step: " + what + ends + of_log(id, 1, 0);
    QCOMPARE(catalogue().run(id)->message, message);
    COMPARE_TOLD(id, kExecuted,
                 "error: " + what + "restarting at once from the beginning, as there is no checkpoint yet; " +
                     ends + of_log(id, 0, 0),
                 "error: failed: " + message);
    QCOMPARE(catalogue().generations(id)[1].outcome, "crashed: rank 0, exit code 2");
  }

  // The spec's budget, and what it says of gradients.
  void theRunsOwnLimitsAreKept() {
    protocol::RunSpec spec = played(1);
    spec.restart_budget = 0;
    const std::string id = start(spec);
    const PlayedReplica a(file(""), 0, 0);
    a.say_hello(t_);
    a.make_step(1, t_);
    a.exit(8);
    VERIFY_RUN(reaches(id, RunState::failed));
    QCOMPARE(catalogue().run(id)->message,
             "the budget of 0 restarts without progress is used up; the last failure: rank 0 ended with exit "
             "code 8; its log ends with: replica 0.0 begins" +
                 of_log(id, 0, 0));
  }

  void aGradientThatIsNotFiniteEndsWhatIsToEndWithIt_data() {
    QTest::addColumn<bool>("stops");
    QTest::addColumn<bool>("trial");
    for (const bool stops : {false, true})
      for (const bool trial : {false, true}) QTest::addRow("%d %d", stops, trial) << stops << trial;
  }
  void aGradientThatIsNotFiniteEndsWhatIsToEndWithIt() {
    QFETCH(bool, stops);
    QFETCH(bool, trial);
    protocol::RunSpec spec = played(1);
    if (stops) spec.non_finite = protocol::NonFinite::stop;
    std::string id;
    if (trial) {
      storage::Sweeps sweeps(catalogue());
      storage::Sweep sweep;
      sweep.name = "rates";
      sweeps.create(sweep);
      sweeps.begin_leg(sweep.name, 0, {});
      id = sweeps.submit(sweep.name, {}, spec);
      spawn_supervisor(id, 0, {});
    } else {
      id = start(spec);
    }
    const PlayedReplica a(file(""), 0, 0);
    a.say_hello(t_);
    a.make_step(1, t_);
    a.tell(failure(0, "non_finite", "step 2: the gradient is NaN"));
    a.exit(1);
    if (stops || trial) {
      VERIFY_RUN(reaches(id, RunState::failed));
      QCOMPARE(catalogue().run(id)->message, "step 2: the gradient is NaN" + of_log(id, 0, 0));
      return;
    }
    const PlayedReplica b(file(""), 1, 0);
    ask(id, Command::stop);
    b.exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
    QCOMPARE(catalogue().generations(id)[0].outcome, "crashed: gradient not finite");
    VERIFY_HOLDS(
        told(id)[2],
        "from the beginning, as there is no checkpoint yet, so that 1 step is repeated");  // it makes some
  }

  // The replicas of the next generation are told to pass it over.
  void aCheckpointThatCannotBeLoadedIsPassedOver() {
    const std::string id = start(played(1));
    StoredRuns::write_checkpoint(id, 1, 4);
    StoredRuns::write_checkpoint(id, 2, 5);
    {
      const PlayedReplica a(file(""), 0, 0);
      a.say_hello(t_);
      Failure failed = failure(0, "checkpoint", "a tensor is missing");
      failed.checkpoint = "checkpoint-000002";
      a.tell(failed);
      a.exit(1);
    }
    const PlayedReplica b(file(""), 1, 0);
    QCOMPARE(b.variable("BATCHSCOPE_UNLOADABLE_CHECKPOINTS"),
             R"({"checkpoint-000002":"it cannot be loaded: a tensor is missing"})");
    b.say_hello(t_);
    b.make_step(5, t_);
    b.tell(protocol::CheckpointWritten{"checkpoint-000002", "periodic", 5, 0, 0, 9, t_, t_, t_});  // another
    b.exit(1);
    const PlayedReplica c(file(""), 2, 0);
    QCOMPARE(c.variable("BATCHSCOPE_UNLOADABLE_CHECKPOINTS"), "");
    ask(id, Command::stop);
    c.exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
    const double pause = catalogue().generations(id)[1].pause;  // since the failure: there was no step
    QVERIFY2(pause > 0 && pause < 110, std::to_string(pause).c_str());
    QCOMPARE(told(id)[1],
             "error: checkpoint-000002 cannot be loaded: a tensor is missing; restarting at once from "
             "checkpoint-000001 (step 4)");
  }

  // One that is listed, and was taken away.
  void aRunWhoseCheckpointsAreGoneDoesNotBeginAgain() {
    const std::string id = start(played(1));
    const PlayedReplica a(file(""), 0, 0);
    a.say_hello(t_);
    a.make_step(1, t_);
    a.tell(protocol::CheckpointWritten{"checkpoint-000003", "periodic", 1, 0, 0, 9, t_, t_, t_});
    QVERIFY(eventually([&] { return catalogue().checkpoints(id).size() == 1; }));
    a.exit(9);
    VERIFY_RUN(reaches(id, RunState::failed));
    const std::string message = "checkpoint-000003 and all other checkpoints of the run are gone from " +
                                protocol::run_paths(id).checkpoints.string() +
                                ": put them back and resume, or start a new run";
    QCOMPARE(catalogue().run(id)->message, message);
    QCOMPARE(told(id).back(), "error: failed: " + message);
  }

  void aSupervisorThatCannotGoOnAsksForALastCheckpoint() {
#ifdef __SANITIZE_ADDRESS__
    QSKIP("the sanitizer's allocator does not throw");
#endif
    const std::string id = start(played(1));
    const PlayedReplica a(file(""), 0, 0);
    a.say_hello(t_);
    a.make_step(1, t_);
    VERIFY_RUN(comes_to(id, RunState::running));
    VERIFY_RUN(runs_out_of_memory(id, supervisor(id)));
    QVERIFY(a.gets("TERM\n"));
    QCOMPARE(status(id).state, RunState::stopping);
    a.exit(143);
    VERIFY_RUN(reaches(id, RunState::failed));
    const std::string why = "the supervisor cannot go on after an error: std::bad_alloc";
    QCOMPARE(catalogue().run(id)->message, why);
    COMPARE_TOLD(id, kExecuted, "info: training on 1 replica",
                 "error: " + why + "; the run ends, and writes a last checkpoint if it can",
                 "error: failed: " + why);
  }

  // --- hangs ---

  // For half of the time after which a replica gives up.
  void whoHoldsTheOthersUpIsToBlame_data() {
    const auto row = testing::columns<double, QString>({"busy", "outcome"});
    row("for long", 1800, "crashed: rank 1, hang");
    row("lately", 1200, "crashed: rank 0, exit code 1");
  }
  void whoHoldsTheOthersUpIsToBlame() {
    QFETCH(double, busy);
    QFETCH(QString, outcome);
    protocol::RunSpec spec = played(2);
    spec.time_outs = {.collective = 3000, .step = 4000, .rescale = 5000, .checkpoint = 5000};
    const std::string id = start(spec);
    const PlayedReplica a(file(""), 0, 0), b(file(""), 0, 1);
    for (const PlayedReplica* const replica : {&a, &b})
      replica->say_hello(t_, [](protocol::Hello& hello) { hello.heartbeats = true; });
    a.make_step(22, t_);
    VERIFY_RUN(comes_to(id, RunState::running));
    const double now = protocol::monotonic_seconds();
    a.tell(protocol::Heartbeat{0, 22, "train", "all_reduce 'loss'", now - 20, now});
    const auto beat = [&] {
      b.tell(protocol::Heartbeat{1, 22, "train", "", now - busy, protocol::monotonic_seconds()});
    };
    QTimer beats;  // until it is killed: two seconds of silence would be a hang of another kind
    connect(&beats, &QTimer::timeout, this, beat);
    beats.start(100);
    beat();
    b.tell(protocol::Notice{"info", "so far", 22});
    VERIFY_RUN(tells(id, "so far"));
    a.tell(failure(0, "peer", "nobody answers"));
    a.exit(1);
    const PlayedReplica c(file(""), 1, 0), d(file(""), 1, 1);  // b had its time, and was killed
    ask(id, Command::stop);
    c.exit(143);
    d.exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
    QCOMPARE(QString::fromStdString(catalogue().generations(id)[0].outcome), outcome);
    if (outcome.endsWith("hang"))
      VERIFY_HOLDS(
          told(id).at(3), "error: rank 1 hangs: it has computed for ",
          " s in step 23 without finishing it (--collective-timeout is 3000 s); restarting at once from ");
  }

  void whoNeverFinishesAStepIsKilled() {
    protocol::RunSpec spec = played(1);
    spec.time_outs = {.collective = 0.1, .step = 0.3};
    const std::string id = start(spec);
    const PlayedReplica a(file(""), 0, 0);
    a.say_hello(t_, [](protocol::Hello& hello) { hello.heartbeats = true; });
    a.make_step(1, t_);
    const double now = protocol::monotonic_seconds();
    a.tell(protocol::Heartbeat{0, 1, "train", "", now, now});
    const PlayedReplica b(file(""), 1, 0);
    ask(id, Command::stop);
    b.exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
    QCOMPARE(catalogue().generations(id)[0].outcome, "crashed: rank 0, hang");
    VERIFY_HOLDS(told(id).at(2), "error: rank 0 hangs: ", " (--hang-timeout is 0.3 s); restarting at once");
  }

  // A number of replicas that makes no step gives way to the one before.
  void aNumberThatDoesNotStartIsGivenUp() {
    protocol::RunSpec spec = played(1);
    spec.time_outs = {.collective = 0.1, .step = 0, .rescale = 0.3};
    const std::string id = start(spec);
    const PlayedReplica a(file(""), 0, 0);
    a.say_hello(t_);
    a.make_step(1, t_);
    VERIFY_RUN(comes_to(id, RunState::running));
    ask(id, Command::rescale, 2);
    a.exit(143);
    const PlayedReplica b(file(""), 2, 0);
    QCOMPARE(status(id).replicas, 1);
    b.say_hello(t_);
    b.make_step(2, t_ + 1);
    VERIFY_RUN(comes_to(id, RunState::running));
    ask(id, Command::stop);
    b.exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
    QCOMPARE(told(id)[2], "warning: no first step on 2 replicas within 0.3 s; the run gives up this start");
    QVERIFY(told(id)[3].starts_with(
        "error: the restart on 2 replicas failed, back to 1 replica: it did not start in time"));
    QCOMPARE(catalogue().generations(id)[2].replicas, 1);
    QCOMPARE(catalogue().generations(id)[2].reason, "rescale");
  }
};

BATCHSCOPE_TEST(TestRunCrashes)
#include "test_run_crashes.moc"
