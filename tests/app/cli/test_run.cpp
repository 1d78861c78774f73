// SPDX-License-Identifier: Apache-2.0
//
// Runs from beginning to end with a stand-in for a training program: how run, resume and attach end, and what
// they say, whatever happens to the run.
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command_test.h"
#include "rows.h"

using namespace batchscope;
using namespace batchscope::cli;

namespace {

// A process that has ended has the id 0, which would mean all of us.
void raise(const QProcess& process, int signal) {
  QVERIFY(process.processId() > 0);
  kill(static_cast<pid_t>(process.processId()), signal);
}

}  // namespace

class TestRun : public CommandTest {
  Q_OBJECT

 private Q_SLOTS:
  void init() { newSandbox(); }
  void cleanup() { endSupervisors(); }

  void followsARunToItsEnd() {
    const Answer answer = ask(run({"--headless", "--name", "mine"}, {"--steps", "20"}));
    QCOMPARE(answer.code, kExitOk);
    VERIFY_HOLDS(answer.out, "mine (", "20 steps");
    QCOMPARE(answer.err, QString());
    QCOMPARE(state(), "finished");
  }

  void takesTheRecipeOfAFolder_data() {
    QTest::addColumn<QString>("place");
    QTest::newRow("relative") << "mine/small";
    QTest::newRow("with a slash") << "mine/small/";
    QTest::newRow("absolute") << "{here}/mine/small";
    QTest::newRow("a name") << "mine";
    QTest::newRow("here") << ".";
    QTest::newRow("its file") << "mine/small/recipe.toml";
  }
  void takesTheRecipeOfAFolder() {
    QFETCH(QString, place);
    QVERIFY(QDir().mkpath(sandbox_->path("mine/small")));
    for (const char* folder : {".", "mine", "mine/small"}) {
      write(folder + QString("/recipe.toml"),
            "name = 'small'\ntitle = 'Small'\nprogram = '" + qgetenv("FAKE_REPLICA") +
                "'\n[[parameter]]\nname = 'steps'\ntype = 'integer'\ndefault = 100000\n");
    }
    const Answer answer = ask({"run", place.replace("{here}", sandbox_->path(".")), "--set", "steps=7"});
    VERIFY_CODE(kExitOk, answer);
    const QJsonObject made = show()["run"].toObject();
    QCOMPARE(made["name"].toString(), "small");
    QCOMPARE(made["step"].toInt(), 7);
  }

  void showsWhatTheProgramPrints() {
    const QString program = "echo first; printf '1 %%\\r2 %%\\r\\033[31mred\\033[0m\\n'; printf last";
    const Answer answer = ask({"run", "--headless", "--", "/bin/sh", "-c", program});
    VERIFY_CODE(kExitOk, answer);
    const QStringList lines = answer.out.split('\n');
    for (const char* line : {"first", "red", "last"}) QVERIFY2(lines.contains(line), qPrintable(answer.out));
    VERIFY_HOLDS(ask({"logs", "latest"}).out, "first\n", "\x1b[31mred");

    const Answer quiet = ask({"run", "--quiet", "--", "/bin/sh", "-c", program});
    VERIFY_CODE(kExitOk, quiet);
    QVERIFY2(!quiet.out.contains("first") && !quiet.out.contains("red"), qPrintable(quiet.out));

    const Answer json = ask({"run", "--json", "--", "/bin/sh", "-c", program});
    VERIFY_CODE(kExitOk, json);
    for (const QString& line : json.out.trimmed().split('\n'))
      QVERIFY2(QJsonDocument::fromJson(line.toUtf8()).isObject(), qPrintable(line));
  }

  void showsOutputThroughRestarts() {
    const Answer answer = ask(run({}, {"--steps", "60", "--crash-at", "30", "--crash-once",
                                       sandbox_->path("crashed"), "--checkpoint-every", "10"}));
    VERIFY_CODE(kExitOk, answer);
    QCOMPARE(answer.out.count("crashing as told\n"), 1);
  }

  void attachesToWhatIsPrintedFromThenOn() {
    const auto lines = [](const QStringList& words) { return words.join('\n') + '\n'; };
    const QString wait = "while [ ! -e %1 ]; do sleep 0.02; done; echo %1";
    ask({"run", "--detach", "--", "/bin/sh", "-c",
         lines({"echo before", wait.arg("now"), wait.arg("quietly"), wait.arg("end")})});
    QTRY_VERIFY_WITH_TIMEOUT(ask({"logs", "latest"}).out.contains("before"), 20'000);
    const auto watcher = sandbox_->start({"attach", "latest"}),
               quiet = sandbox_->start({"attach", "--quiet", "latest"});
    for (QProcess* process : {watcher.get(), quiet.get()})
      QVERIFY2(process->waitForReadyRead(Sandbox::kPatienceMs), "it tells of the run");
    for (const char* file : {"now", "quietly", "end"}) write(file, "");
    const Answer watched = Sandbox::finish(*watcher);
    VERIFY_CODE(kExitOk, watched);
    QVERIFY2(!watched.out.contains("before"), qPrintable(watched.out));
    VERIFY_HOLDS(watched.out, "now\nquietly\nend\n");
    const Answer unwatched = Sandbox::finish(*quiet);
    VERIFY_CODE(kExitOk, unwatched);
    QVERIFY2(!unwatched.out.contains("now\n"), qPrintable(unwatched.out));
  }

  void tellsEveryEventOnce() {
    const Answer answer = ask(run({"--replicas", "2", "--at", "step=10:replicas=1"}, {"--steps", "40"}));
    QCOMPARE(answer.code, kExitOk);
    QCOMPARE(answer.out.count("restarted on 1 replica"), 1);
    const QJsonArray events = show()["events"].toArray();
    QVERIFY(events.size() >= 3);
    for (const auto& event : events) {
      const bool isForFaults = event.toObject()["level"] == "debug";
      QVERIFY2(answer.out.contains(event.toObject()["text"].toString()) != isForFaults,
               qPrintable(answer.out));
    }
    QCOMPARE(show()["generations"].toArray().size(), 2);
  }

  void speaksJsonLines() {
    const Answer answer = ask(run({"--json", "--expect", "loss<1"}, {"--steps", "20"}));
    QCOMPARE(answer.code, kExitOk);
    QStringList kinds;
    for (const QString& line : answer.out.trimmed().split('\n')) {
      const QJsonObject object = QJsonDocument::fromJson(line.toUtf8()).object();
      QVERIFY2(object.size() == 1, qPrintable(line));
      kinds << object.keys().first();
    }
    QVERIFY(kinds.contains("status"));
    QVERIFY(kinds.contains("event"));
    QCOMPARE(kinds.count("result"), 1);
    QCOMPARE(kinds.last(), "result");
    const QJsonObject result = answer.json()["result"].toObject();
    QCOMPARE(result["exit_code"].toInt(), 0);
    QCOMPARE(result["run"].toObject()["state"].toString(), "finished");
    QCOMPARE(result["expectations"].toArray().size(), 1);
  }

  void judgesExpectations() {
    const Answer answer = ask(run(
        {"--expect", "loss<0.5", "--expect", "generations>=2", "--expect", "accuracy>0"}, {"--steps", "20"}));
    QCOMPARE(answer.code, kExitExpectation);
    for (const char* row : {"loss < 0.5         0.05  pass", "generations >= 2        1  FAIL",
                            "accuracy > 0      nothing  FAIL"}) {
      const QStringList words = QString(row).split(' ', Qt::SkipEmptyParts);
      QVERIFY2(answer.out.simplified().contains(words.join(' ')), qPrintable(answer.out));
    }
  }

  void countsAnExpectedStateAsSuccess() {
    const QStringList arguments{"--steps", "1000"};
    QCOMPARE(ask(run({"--at", "step=10:stop"}, arguments)).code, kExitCheckpointed);
    QCOMPARE(
        ask(run({"--at", "step=10:stop", "--expect", "state==stopped", "--expect", "step==10"}, arguments))
            .code,
        kExitOk);
  }

  void writesAReport() {
    const Answer answer = ask(run({"--report", "report.json", "--expect", "step==5"}, {"--steps", "20"}));
    QCOMPARE(answer.code, kExitExpectation);
    QFile file(sandbox_->path("report.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QJsonObject report = QJsonDocument::fromJson(file.readAll()).object();
    QCOMPARE(report["exit_code"].toInt(), kExitExpectation);
    QCOMPARE(report["final"].toObject()["loss"].toDouble(), 1.0 / 20);
    QCOMPARE(report["expectations"].toArray()[0].toObject()["seen"].toString(), "20");
  }

  void writesAReportThroughAPipe() {
    QCOMPARE(mkfifo(qPrintable(sandbox_->path("pipe")), 0600), 0);
    QProcess reader;
    reader.start("cat", {sandbox_->path("pipe")});
    const Answer answer = ask(run({"--report", "pipe"}, {"--steps", "5"}));
    VERIFY_CODE(kExitOk, answer);
    QVERIFY(reader.waitForFinished(Sandbox::kPatienceMs));
    QCOMPARE(QJsonDocument::fromJson(reader.readAll()).object()["version"].toInt(), 1);
    QVERIFY2(!QFileInfo(sandbox_->path("pipe")).isFile(), "no file takes the pipe's place");
  }

  // The run goes on to its end all the same, and what is asked of it is done.
  void tellsWhatAFullDiskTook() {
    const auto askInto = [this](const QStringList& arguments) {
      const auto process = sandbox_->prepare(arguments);
      process->setStandardOutputFile("/dev/full");
      process->start();
      const Answer answer = Sandbox::finish(*process);
      return answer.err.contains("cannot write to standard output: No space left on device") ? answer.code
                                                                                             : -1;
    };
    QCOMPARE(askInto(run({}, {"--steps", "20"})), kExitFailure);
    QCOMPARE(state(), "finished");
    QCOMPARE(askInto(run({"--json"}, {"--steps", "20"})), kExitFailure);
    QCOMPARE(askInto(run({"--expect", "step==5"}, {"--steps", "20"})), kExitExpectation);
    QCOMPARE(askInto(run({"--detach"}, {"--steps", "100000"})), kExitFailure);
    QTRY_COMPARE_WITH_TIMEOUT(state(), "running", 20'000);
    QCOMPARE(askInto({"checkpoint", "latest"}), kExitFailure);
    QCOMPARE(askInto({"rescale", "latest", "2"}), kExitFailure);
    QTRY_COMPARE_WITH_TIMEOUT(show()["generations"].toArray().last().toObject()["replicas"].toInt(), 2,
                              20'000);
    QTRY_COMPARE_WITH_TIMEOUT(state(), "running", 20'000);
    QCOMPARE(askInto({"pause", "latest"}), kExitFailure);
    QTRY_COMPARE_WITH_TIMEOUT(state(), "paused", 20'000);
    QCOMPARE(askInto({"resume", "latest", "--detach"}), kExitFailure);
    QTRY_COMPARE_WITH_TIMEOUT(state(), "running", 20'000);
    QCOMPARE(askInto({"stop", "latest"}), kExitFailure);
    QTRY_COMPARE_WITH_TIMEOUT(state(), "stopped", 20'000);
    QCOMPARE(askInto({"fork", "latest", "--detach"}), kExitFailure);
  }

  void stopsOnInterruptAndResumes_data() {
    QTest::addColumn<int>("signal");
    QTest::newRow("SIGINT") << SIGINT;
    QTest::newRow("SIGTERM") << SIGTERM;
  }
  void stopsOnInterruptAndResumes() {
    QFETCH(int, signal);
    const auto process = startTraining({"--replicas", "2"}, {"--steps", "200"});
    raise(*process, signal);
    const Answer answer = Sandbox::finish(*process);
    QCOMPARE(answer.code, kExitCheckpointed);
    VERIFY_HOLDS(answer.out, "checkpointing ...");
    const QString id = show()["run"].toObject()["id"].toString();
    QVERIFY2(answer.out.contains("batchscope resume " + id), qPrintable(answer.out));
    QCOMPARE(state(), "stopped");

    const Answer resumed = ask({"resume", id, "--replicas", "1"});
    QCOMPARE(resumed.code, kExitOk);
    QVERIFY2(!resumed.out.contains("training on 2 replicas"), "old events are not news");
    const QJsonArray generations = show()["generations"].toArray();
    QCOMPARE(generations.size(), 2);
    QCOMPARE(generations[1].toObject()["replicas"].toInt(), 1);
    QCOMPARE(generations[1].toObject()["first_step"].toInt(),
             generations[0].toObject()["last_step"].toInt() + 1);
  }

  void letsGoAtTheSecondInterrupt() {
    const auto process = startTraining({}, {"--steps", "300", "--ignore-term"});
    raise(*process, SIGINT);
    QTest::qWait(500);
    QCOMPARE(process->state(), QProcess::Running);
    raise(*process, SIGINT);
    const Answer answer = Sandbox::finish(*process);
    QCOMPARE(answer.code, kExitFailure);
    VERIFY_HOLDS(answer.out, "goes on. `batchscope attach ");
  }

  void stopsWhenTheTimeIsUp() {
    const Answer answer = ask(run({"--timeout", "1s"}, {"--steps", "100000"}));
    QCOMPARE(answer.code, kExitTimeout);
    VERIFY_HOLDS(answer.out, "the time is up");
    QCOMPARE(state(), "stopped");
  }

  void hasPatienceForMonths() {  // more milliseconds than an int holds
    const Answer answer = ask(run({"--timeout", "720h"}, {"--steps", "20"}));
    QCOMPARE(answer.code, kExitOk);
    QCOMPARE(answer.err, QString());
    QCOMPARE(state(), "finished");
  }

  void noticesAStopFromElsewhere() {
    const auto process = startTraining({}, {"--steps", "100000"});
    QCOMPARE(ask({"stop", "latest"}).code, kExitOk);
    const Answer answer = Sandbox::finish(*process);
    QCOMPARE(answer.code, kExitCheckpointed);
    VERIFY_HOLDS(answer.out, "is stopped after step");
  }

  void resumesAPausedRun() {
    const auto process = startTraining({}, {"--steps", "200"});
    QCOMPARE(ask({"pause", "latest"}).code, kExitOk);
    QCOMPARE(Sandbox::finish(*process).code, kExitCheckpointed);
    QCOMPARE(state(), "paused");
    const Answer resumed = ask({"resume", "latest"});
    QCOMPARE(resumed.code, kExitOk);
    QCOMPARE(state(), "finished");
  }

  void tellsWhyARunFailed() {
    const Answer answer = ask(run({}, {"--steps", "50", "--die-on", "1"}));
    QCOMPARE(answer.code, kExitFailure);
    QVERIFY2(answer.err.startsWith("batchscope: "), qPrintable(answer.err));
    VERIFY_HOLDS(answer.err, "batchscope logs");
    QVERIFY2(ask({"logs", "latest"}).out.contains("cannot run on 1 replicas"), "the log tells why");
  }

  void refusesTimeOutsThatConflict() {
    const Answer answer = ask(run({"--hang-timeout", "10m"}, {}));
    QCOMPARE(answer.code, kExitUsage);
    for (const char* part : {"--hang-timeout (600 s)", "--rescale-timeout (60 s)", "raise"})
      VERIFY_HOLDS(answer.err, part);
    QCOMPARE(ask({"show", "latest"}).code, kExitNotFound);
  }

  void passesOnWhatAFaultDoes() {
    VERIFY_REFUSED(kExitFailure, "budget of 1",
                   ask(run({"--restart-budget", "1", "--non-finite", "restore", "--collective-timeout", "5s",
                            "--hang-timeout", "0", "--rescale-timeout", "10s", "--checkpoint-timeout", "20s",
                            "--max-local-batch-size", "4096"},
                           {"--steps", "20", "--crash-at", "5", "--crash-code", "9"})));
    QCOMPARE(show()["generations"].toArray().size(), 2);
    const QJsonObject environment = show()["environment"].toObject();
    QCOMPARE(environment["BATCHSCOPE_COLLECTIVE_TIMEOUT"].toString().toDouble(), 5.0);
    QCOMPARE(environment["BATCHSCOPE_NON_FINITE"].toString(), "restore");
    QCOMPARE(environment["BATCHSCOPE_MAX_LOCAL_BATCH_SIZE"].toString(), "4096");
  }

  void detachesAndAttaches() {
    const Answer started = ask(run({"--detach", "--name", "quiet"}, {"--steps", "300"}));
    QCOMPARE(started.code, kExitOk);
    const QString id = started.out.trimmed();
    QCOMPARE(show()["run"].toObject()["id"].toString(), id);

    const auto watcher = sandbox_->start({"attach", "quiet"});
    QVERIFY2(watcher->waitForReadyRead(Sandbox::kPatienceMs), "it tells of the run");
    raise(*watcher, SIGINT);
    QCOMPARE(Sandbox::finish(*watcher).code, kExitOk);
    QVERIFY2(state() != "stopped", "to stop watching does not stop the run");

    QCOMPARE(ask({"attach", id}).code, kExitOk);
    QCOMPARE(state(), "finished");
    QCOMPARE(ask({"attach", id}).code, kExitConflict);
  }

  void detachedResumeTellsOfWhatIsGone_data() {
    QTest::addColumn<QString>("command");
    QTest::newRow("stopped") << "stop";
    QTest::newRow("paused") << "pause";
  }
  void detachedResumeTellsOfWhatIsGone() {
    QFETCH(QString, command);
    const QString id = stopped(command);
    QVERIFY(QDir(sandbox_->path("runs/" + id + "/checkpoints")).removeRecursively());
    const Answer answer = ask({"resume", id, "--detach"});
    QCOMPARE(answer.code, kExitFailure);
    VERIFY_HOLDS(answer.err, "all other checkpoints of the run are gone");
    QCOMPARE(answer.out, QString());
    QCOMPARE(state(), "failed");
    QCOMPARE(ask({"resume", id, "--detach", "--json"}).json()["result"].toObject()["exit_code"].toInt(),
             kExitFailure);
  }

  void detachedResumeTellsWhoHoldsTheRun() {
    const QString id = stopped("stop");
    const int folder = open(qPrintable(sandbox_->path("runs/" + id)), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    QCOMPARE(flock(folder, LOCK_EX | LOCK_NB), 0);
    const Answer answer = ask({"resume", id, "--detach"});
    close(folder);
    QCOMPARE(answer.code, kExitFailure);
    QVERIFY2(answer.err.contains("failed: " + show()["run"].toObject()["message"].toString()),
             qPrintable(answer.err));
    QCOMPARE(ask({"resume", id, "--detach"}).code, kExitOk);
  }

  void detachedResumeTellsOfARemoval_data() {
    const auto row = testing::columns<QString, int, QString>({"flags", "code", "complaint"});
    row("trash", "", kExitConflict, "was put into the trash while it was being started");
    row("for good", "--purge --yes", kExitNotFound, "was removed while it was being started");
  }
  // Somebody removes the run between the start of its supervisor and the supervisor's claim to it.
  void detachedResumeTellsOfARemoval() {
    QFETCH(QString, flags);
    QFETCH(int, code);
    QFETCH(QString, complaint);
    const QString id = stopped("stop");
    const Answer answer = askWhile("\"$real\" rm " + flags + " $2", {"resume", id, "--detach"});
    QVERIFY2(answer.code == code, qPrintable(answer.out + answer.err));
    VERIFY_HOLDS(answer.err, complaint);
  }

  void detachedStartsThatFailAreNoSuccess_data() {
    QTest::addColumn<QStringList>("command");
    QTest::newRow("run") << run({"--detach"}, {});
    QTest::newRow("fork") << QStringList{"fork", "latest", "--detach"};
  }
  // A lock on the run's folder that is somebody else's.
  void detachedStartsThatFailAreNoSuccess() {
    QFETCH(QStringList, command);
    stopped("stop");
    const Answer answer = askWhile("exec 9<" + sandbox_->path("runs") + "/$2; flock 9", command);
    QCOMPARE(answer.code, kExitFailure);
    QCOMPARE(answer.out, QString());
    QVERIFY2(answer.err.contains("failed: " + show()["run"].toObject()["message"].toString()),
             qPrintable(answer.err));
  }

  void followsLogs() {
    ask(run({"--detach"}, {"--steps", "60", "--crash-at", "30", "--crash-once", sandbox_->path("crashed"),
                           "--checkpoint-every", "10"}));
    // The next one may have begun by now.
    const Answer answer = ask({"logs", "-f", "latest", "--generation", "0"});
    QCOMPARE(answer.code, kExitOk);
    VERIFY_HOLDS(answer.out, "g0 r0 | crashing as told");
    QVERIFY(state() == "finished");
  }

  void controlsFromTheCommandLine() {
    const auto process = startTraining({}, {"--steps", "100000"});
    const Answer checkpoint = ask({"checkpoint", "latest", "--json"});
    QCOMPARE(checkpoint.code, kExitOk);
    QVERIFY(checkpoint.json()["result"].toObject()["step"].toInt() > 0);
    QCOMPARE(ask({"rescale", "latest", "2"}).code, kExitOk);
    QTRY_COMPARE_WITH_TIMEOUT(show()["generations"].toArray().last().toObject()["replicas"].toInt(), 2,
                              20'000);
    QCOMPARE(ask({"rm", "--yes", "latest"}).code, kExitConflict);
    QTRY_VERIFY_WITH_TIMEOUT(state() == "running", 20'000);
    QCOMPARE(ask({"stop", "latest"}).code, kExitOk);
    QCOMPARE(Sandbox::finish(*process).code, kExitCheckpointed);
    QCOMPARE(ask({"rm", "--yes", "latest"}).code, kExitOk);
  }

 private:
  QStringList run(const QStringList& flags, const QStringList& arguments) const {
    return QStringList{"run", qEnvironmentVariable("FAKE_REPLICA")} + flags + QStringList{"--"} + arguments;
  }

  // Starts a training, and returns as soon as it has taken its first steps.
  std::unique_ptr<QProcess> startTraining(const QStringList& flags, const QStringList& arguments) const {
    auto process = sandbox_->start(run(flags, arguments));
    for (int i = 0; i < 200 && process->state() != QProcess::NotRunning; ++i) {
      const QJsonArray generations = show()["generations"].toArray();
      if (!generations.isEmpty() && generations.last().toObject()["first_step"].toInt() > 0) break;
      QTest::qWait(50);
    }
    return process;
  }

  // The id of a run that has trained and rests, by `stop` or `pause`.
  QString stopped(const QString& command) const {
    const auto process = startTraining({}, {"--steps", "100000"});
    if (ask({command, "latest"}).code != kExitOk || Sandbox::finish(*process).code != kExitCheckpointed)
      return {};
    return show()["run"].toObject()["id"].toString();
  }

  // Asks with these lines of shell where every supervisor begins; $2 is the run's id.
  Answer askWhile(const QString& lines, const QStringList& arguments) const {
    const QString real = qEnvironmentVariable("BATCHSCOPE_BIN") + "/batchscope";
    QFile script(sandbox_->path("bin/batchscope"));
    if (!QDir().mkpath(sandbox_->path("bin")) || !script.open(QIODevice::WriteOnly)) return {};
    script.write(("#!/bin/sh\nreal='" + real + "'\n" + lines + "\nexec \"$real\" \"$@\"\n").toUtf8());
    script.close();
    script.setPermissions(QFile::ReadOwner | QFile::ExeOwner);
    const auto process = sandbox_->prepare(arguments);
    QProcessEnvironment environment = process->processEnvironment();
    environment.insert("BATCHSCOPE_BIN", sandbox_->path("bin"));
    process->setProcessEnvironment(environment);
    process->start();
    return Sandbox::finish(*process);
  }
};

BATCHSCOPE_TEST(TestRun)
#include "test_run.moc"
