// SPDX-License-Identifier: Apache-2.0
//
// The generation that runs: what its replicas' exits are put down to, and what is kept of it. Its processes
// only wait.
#include "supervision/current_generation.h"

#include <csignal>
#include <limits>

#include "batchscope/run/log_times.h"
#include "rows.h"
#include "stored_runs.h"
#include "test_case.h"
#include "waiting_replicas.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::Failure;

namespace {

constexpr int kKilled = SIGKILL, kAborted = SIGABRT;

int exited_with(int code) { return W_EXITCODE(code, 0); }

// A run's supervisor's part.
struct Current {
  Current() {
    id = runs.add(runs.spec());
    paths = protocol::run_paths(id);
    recorder.emplace(runs.catalogue(), id, paths);
    current.emplace(paths, *recorder, [this] { return memory_kills; });
  }

  // Begins at second 1000.
  void launch(int number, int replicas, const std::optional<Prediction>& predicted = {}) {
    Placement placement;
    placement.places.resize(static_cast<std::size_t>(replicas));
    recorder->begin_generation(number);
    current->launch(
        {.number = number, .run = id, .spec = runs.spec(), .paths = paths, .placement = placement}, "rescale",
        predicted, 1000, launcher);
  }
  void step(double mono, const std::optional<Pause>& pause = {}) { current->progress(mono, pause); }
  storage::Generation kept(std::size_t number = 0) {
    recorder->flush();
    return runs.catalogue().generations(id).at(number);
  }
  std::size_t listed() const { return read_replicas(paths.root / "replicas.json").size(); }

  StoredRuns runs;
  std::string id;
  protocol::RunPaths paths;
  WaitingReplicas launcher;
  std::int64_t memory_kills = 5;
  std::optional<Recorder> recorder;
  std::optional<CurrentGeneration> current;
};

Failure as_told(const std::string& kind, const std::string& text) {
  Failure failed;
  failed.rank = 1;
  failed.kind = kind;
  failed.text = text;
  failed.local_batch_size = 100;
  failed.checkpoint = "checkpoint-000002";
  return failed;
}

protocol::Hello as_said(const char* device, bool forked, bool checkpoints = true) {
  protocol::Hello said;
  said.device = device;
  said.forked = forked;
  said.checkpoints = checkpoints;
  return said;
}

}  // namespace

class TestCurrentGeneration : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // --- why a replica ended ---

  void anExitIsPutDownToWhatItsReplicaTold_data() {
    const auto row = testing::columns<int, QString, QString, bool, Cause, QString>(
        {"status", "kind", "text", "passed_over", "cause", "why"});
    const QString lost = QStringLiteral("checkpoint-000002 cannot be loaded: torn");
    row("nothing", exited_with(3), "", "", false, Cause::unknown, "");
    row("peer", exited_with(1), "peer", "rank 0 is gone", false, Cause::peer, "rank 0 is gone");
    row("peer of memory", exited_with(1), "peer", "std::bad_alloc", false, Cause::peer, "std::bad_alloc");
    row("gradient", exited_with(1), "non_finite", "it is NaN", false, Cause::non_finite, "it is NaN");
    row("exception", kAborted, "exception", "it fell", false, Cause::exception, "it fell");
    row("memory", exited_with(1), "exception", "std::bad_alloc", false, Cause::memory, "std::bad_alloc");
    row("checkpoint", exited_with(1), "checkpoint", "torn", false, Cause::exception, lost);
    row("checkpoint, and another follows", exited_with(1), "checkpoint", "torn", true, Cause::checkpoint,
        lost);
    row("exit", exited_with(4), "exit", "", false, Cause::unknown, "");
    row("finished", exited_with(0), "exception", "it fell", false, Cause::unknown, "");
    row("checkpointed", exited_with(143), "exception", "it fell", false, Cause::unknown, "");
  }
  void anExitIsPutDownToWhatItsReplicaTold() {
    QFETCH(int, status);
    QFETCH(QString, kind);
    QFETCH(QString, text);
    QFETCH(bool, passed_over);
    QFETCH(QString, why);
    Current run;
    run.launch(0, 2);
    if (!kind.isEmpty()) run.current->failed(1, as_told(kind.toStdString(), text.toStdString()), passed_over);
    run.current->failed(0, as_told("peer", "of another rank"), false);
    const Exit exit = run.current->account_of(1, status, 7);
    QCOMPARE(exit.rank, 1);
    QCOMPARE(exit.code, WIFEXITED(status) ? WEXITSTATUS(status) : 0);
    QCOMPARE(exit.signal, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    QVERIFY(!exit.killed);
    QTEST(exit.cause, "cause");
    QCOMPARE(QString::fromStdString(exit.why), why);
    QCOMPARE(exit.local_batch_size, kind.isEmpty() || exit.clean() ? 0 : 100);
  }

  // The log may tell why where the replica did not. Where a signal ended it, the log's end may say anything.
  void whoToldNothingHasALog_data() {
    const auto row = testing::columns<int, QString, Cause, QString>({"status", "log", "cause", "why"});
    const QString traceback =
        QStringLiteral("Traceback (most recent call last):\n  File \"a\"\nKeyError: 'x'\n");
    row("memory", exited_with(3), "CUDA out of memory\n", Cause::memory, "");
    row("memory, and a signal", kAborted, "CUDA out of memory\n", Cause::unknown, "");
    row("an exception of Python", exited_with(1), traceback, Cause::exception, "KeyError: 'x'");
    row("the same, and another code", exited_with(2), traceback, Cause::unknown, "");
    row("other words", exited_with(1), "that was all\n", Cause::unknown, "");
    row("nothing", exited_with(1), "", Cause::unknown, "");
    row("a signal", kKilled, traceback, Cause::unknown, "");
    row("memory before the last hundred lines", exited_with(3),
        "CUDA out of memory\n" + QString("later\n").repeated(100), Cause::unknown, "");
    row("memory within the last hundred lines", exited_with(3),
        "CUDA out of memory\n" + QString("later\n").repeated(99), Cause::memory, "");
  }
  void whoToldNothingHasALog() {
    QFETCH(int, status);
    QFETCH(QString, log);
    Current run;
    run.launch(3, 2);
    testing::write_file(run.paths.log_file(3, 1), log.toStdString());
    testing::write_file(run.paths.log_file(3, 0), "std::bad_alloc\n");
    const Exit exit = run.current->account_of(1, status, 7);
    QTEST(exit.cause, "cause");
    QTEST(QString::fromStdString(exit.why), "why");
    QCOMPARE(exit.local_batch_size, 0);
  }

  // Nobody but the kernel counts them: not those before the generation, nor one that another signal ended.
  void whomTheKernelKilledForMemoryIsPutDownToIt() {
    Current run;
    run.launch(0, 2);
    QCOMPARE(run.current->account_of(1, kKilled, 7).cause, Cause::unknown);
    run.memory_kills = 6;
    const Exit exit = run.current->account_of(1, kKilled, 7);
    QCOMPARE(exit.cause, Cause::memory);
    QCOMPARE(exit.why, "the kernel killed a process because memory ran out");
    QCOMPARE(exit.local_batch_size, 7);
    QCOMPARE(run.current->account_of(1, kAborted, 7).cause, Cause::unknown);
    QCOMPARE(run.current->account_of(1, exited_with(1), 7).cause, Cause::unknown);
    run.current->failed(1, as_told("peer", "rank 0 is gone"), false);
    QCOMPARE(run.current->account_of(1, kKilled, 7).cause, Cause::peer);
    run.launch(1, 2);
    QCOMPARE(run.current->account_of(1, kKilled, 7).cause, Cause::unknown);
  }

  void failuresAreTheGenerationsOwn() {
    Current run;
    run.launch(0, 2);
    run.current->failed(1, as_told("checkpoint", "torn"), true);
    run.current->failed(0, as_told("checkpoint", "torn"), false);  // one of them is enough
    QCOMPARE(run.current->account_of(0, exited_with(1), 0).cause, Cause::checkpoint);
    run.current->end({}, 0);
    run.launch(1, 2);
    QCOMPARE(run.current->account_of(1, exited_with(5), 0).cause, Cause::unknown);
    run.current->failed(1, as_told("checkpoint", "torn"), false);
    QCOMPARE(run.current->account_of(1, exited_with(1), 0).cause, Cause::exception);
  }

  // --- what is kept ---

  void aGenerationIsKeptFromItsLaunchToItsEnd() {
    Current run;
    QCOMPARE(run.current->node_of(0), "");
    QVERIFY(!run.current->rank_of(getpid()));
    Prediction predicted;
    predicted.throughput = 200;
    predicted.goodput = std::numeric_limits<double>::quiet_NaN();
    predicted.error = 0.25;
    run.launch(0, 2, predicted);
    const auto living = run.current->replicas()->living();
    QCOMPARE(run.current->rank_of(living.at(1)), std::optional(1));
    QCOMPARE(run.listed(), 2u);
    storage::Generation kept = run.kept();
    QCOMPARE(kept.number, 0);
    QCOMPARE(kept.replicas, 2);
    QCOMPARE(kept.reason, "rescale");
    QCOMPARE(kept.started, run.recorder->wall(1000));
    QCOMPARE(kept.ended, 0.0);
    QCOMPARE(kept.predicted_throughput, 200.0);
    QCOMPARE(kept.predicted_goodput, -1.0);  // which is not known
    QCOMPARE(kept.predicted_error, 0.25);

    run.current->restored("checkpoint-000004");
    QCOMPARE(run.kept().checkpoint, "checkpoint-000004");
    run.current->stepped(41);
    run.current->stepped(42);
    run.step(1010, Pause{12, {{"launch", 5}, {"first step", 7}}});
    kept = run.kept();
    QCOMPARE(kept.first_step, 41);
    QCOMPARE(kept.pause, 12.0);
    QVERIFY(kept.pause_parts == (std::map<std::string, double>{{"launch", 5}, {"first step", 7}}));
    MeasuredRate rate;
    rate.throughput = 190;
    rate.goodput = std::numeric_limits<double>::infinity();
    run.current->obtained(rate);
    QCOMPARE(run.kept().obtained_throughput, 190.0);
    QCOMPARE(run.kept().obtained_goodput, -1.0);

    run.recorder->take(protocol::Steps{41, {{"mono", {1, 2, 3}}}, 0});
    run.current->end({Outcome::Kind::checkpointed, {}}, 16);
    kept = run.kept();
    QCOMPARE(kept.last_step, 43);
    QCOMPARE(kept.outcome, "checkpointed");
    QVERIFY(kept.ended > 1e9);
    QVERIFY(run.current->replicas() == nullptr);
    QCOMPARE(run.listed(), 0u);
    QCOMPARE(WaitingReplicas::status_of(living.at(0)), SIGKILL);

    // Nothing of it is the next one's.
    run.launch(1, 1, Prediction{});
    kept = run.kept(1);
    QCOMPARE(kept.first_step, 0);
    QCOMPARE(kept.checkpoint, "");
    QCOMPARE(kept.pause, -1.0);
    QCOMPARE(kept.predicted_throughput, 0.0);
    QCOMPARE(kept.predicted_error, -1.0);  // 0: unknown
    QCOMPARE(run.kept(0).first_step, 41);
  }

  void aStepAfterAValidationIsKeptAtOnce() {
    Current run;
    run.launch(0, 1);
    run.current->stepped(5);
    QCOMPARE(run.kept().first_step, 0);  // with what follows
    run.launch(1, 1);
    run.step(1010);
    run.current->stepped(6);
    QCOMPARE(run.kept(1).first_step, 6);
  }

  void howLongARestartTakesIsRemembered() {
    Current run;
    QCOMPARE(run.current->known_pause(), 0.0);
    std::vector<storage::Generation> before(3);
    before[0].pause = 4;
    before[1].pause = 5;  // and the newest has none
    run.current->remember(before);
    QCOMPARE(run.current->known_pause(), 5.0);
    run.launch(0, 1);
    run.step(1007);
    QCOMPARE(run.current->known_pause(), 7.0);  // since its launch
    run.launch(1, 1);
    run.step(1007, Pause{3, {}});
    QCOMPARE(run.current->known_pause(), 3.0);
    run.launch(2, 1);
    run.current->assume_running(1009);
    QCOMPARE(run.current->known_pause(), 9.0);
    QVERIFY(run.current->under_way() && !run.current->progressed());
  }

  void whatFittedIsKnownOnAnotherNumberOnly() {
    Current run;
    run.launch(0, 2);
    QCOMPARE(run.current->fitted_elsewhere(), 0);
    run.step(1010);
    run.current->end({}, 16);
    run.launch(1, 3);
    QCOMPARE(run.current->fitted_elsewhere(), 16);
    run.current->end({}, 99);  // it made no step
    run.launch(2, 2);
    QCOMPARE(run.current->fitted_elsewhere(), 0);
    run.current->end({}, 0);
    run.launch(3, 1);
    QCOMPARE(run.current->fitted_elsewhere(), 16);
    run.step(1010);
    QCOMPARE(run.current->fitted_elsewhere(), 0);
  }

  void whatReplicasSayOfThemselvesIsTheGenerations() {
    Current run;
    QVERIFY(!run.current->has_telemetry());
    run.launch(0, 2);
    QVERIFY(!run.current->forked() && !run.current->checkpoints_when_asked());
    run.current->hello(0, as_said("cpu", true));
    QVERIFY(run.current->has_telemetry() && run.current->forked() && run.current->checkpoints_when_asked());
    QVERIFY(run.current->leaves_at_once());
    run.current->hello(0, as_said("cuda:0", true));
    run.current->hello(1, as_said("cpu", true, false));
    QVERIFY(!run.current->leaves_at_once());  // one has a GPU
    QVERIFY(!run.current->checkpoints_when_asked());
    protocol::CheckpointWritten written;
    written.name = "checkpoint-000001";
    run.current->checkpoint_written(written);
    QCOMPARE(run.current->checkpoint()->name, "checkpoint-000001");
    run.step(1010);
    QVERIFY(run.current->progressed() && run.current->under_way());

    run.launch(1, 2);
    QVERIFY(run.current->has_telemetry());  // which is the program's
    QVERIFY(!run.current->forked() && !run.current->leaves_at_once() && !run.current->checkpoint());
    QVERIFY(!run.current->progressed() && !run.current->under_way());
    run.current->hello(0, as_said("cpu", false));
    QVERIFY(!run.current->forked() && !run.current->leaves_at_once() &&
            run.current->checkpoints_when_asked());
    run.current->hello(1, as_said("cpu", true));
    QVERIFY(run.current->leaves_at_once());
  }

  // Of replicas that live; of what they print nobody else keeps the time.
  void timesOfLogsAreNoted() {
    Current run;
    for (const int number : {0, 1}) {
      run.launch(number, 2);
      const std::filesystem::path log = run.paths.log_file(number, 1);
      testing::write_file(log, "loading\n");
      const double before = storage::now();
      run.current->measure(0, {});
      const auto time = log_time(log, 0);
      QVERIFY(time && *time >= before && *time <= storage::now());
      run.current->end({}, 0);
      testing::write_file(log, "loading\nlate\n");
      run.current->measure(0, {});
      QVERIFY(!log_time(log, 8));
    }
  }

  // A generation that does not train yet, or no longer, has none.
  void useIsRecordedWithTheStep() {
    Current run;
    run.launch(0, 1);
    run.current->measure(4, {{"device/memory/5", 3}});
    run.step(1010);
    run.current->measure(5, {{"device/memory/5", 7}});
    run.current->end({}, 0);
    run.current->measure(6, {{"device/memory/5", 8}});
    run.recorder->commit();
    storage::SampleReader samples(run.paths.samples);
    const auto elsewhere = samples.read("device/memory/5", 0), here = samples.read("device/memory/0", 0);
    QCOMPARE(elsewhere.size(), 1u);
    QCOMPARE(elsewhere[0].step, 5);
    QCOMPARE(elsewhere[0].value, 7.0);
    QCOMPARE(here.size(), 1u);
    QVERIFY(here[0].value > 1000);
  }
};

BATCHSCOPE_TEST(TestCurrentGeneration)
#include "test_current_generation.moc"
