// SPDX-License-Identifier: Apache-2.0
//
// simulate: the small workload beside this file, whose results were worked out by hand (policy.simulation
// says how), what is wrong with a workload, a profile or a scenario, runs of one's own, and the measurements
// published with Pollux where they are.
#include <functional>

#include "command_test.h"
#include "rows.h"

using namespace batchscope;
using namespace batchscope::cli;

namespace {

QString beside(const QString& name) { return QStringLiteral(SIMULATION_FOLDER "/") + name; }

QStringList simulateSmall(const QStringList& more) {
  return QStringList{
             "simulate", beside("workload.csv"), "--profiles", beside("profiles"), "--nodes", "1", "--gpus",
             "2"} +
         more;
}

QJsonObject outcome(const Answer& answer, int index = 0) {
  return answer.json()["policies"].toArray()[index].toObject();
}

}  // namespace

class TestSimulate : public CommandTest {
  Q_OBJECT

 private Q_SLOTS:
  void init() { newSandbox(); }

  void answersInJson() {
    const Answer answer = ask(simulateSmall({"--policy", "tiresias,optimus", "--json"}));
    QCOMPARE(answer.code, kExitOk);
    QVERIFY2(answer.out.contains(R"("jobs":{"a":150,"b":320,"c":310})"), qPrintable(answer.out));
    const QJsonObject tiresias = outcome(answer);
    QCOMPARE(tiresias["policy"].toString(), "tiresias");
    QCOMPARE(tiresias["mean_jct"].toDouble(), 260.0);
    QCOMPARE(tiresias["makespan"].toDouble(), 330.0);
    QCOMPARE(tiresias["worst_fairness"].toDouble(), 320.0 / 150);
    QCOMPARE(tiresias["restarts"].toInt(), 0);
    QCOMPARE(outcome(answer, 1)["jobs"].toObject(), (QJsonObject{{"a", 210}, {"b", 200}, {"c", 310}}));
  }

  void printsATable() {
    const Answer answer = ask(simulateSmall({"--policy", "fifo,fair"}));
    QCOMPARE(answer.code, kExitOk);
    const QStringList lines = answer.out.split('\n');
    QVERIFY2(lines[0].contains("mean completion time") && lines[1].contains("fifo") &&
                 lines[1].contains("260.0 s") && lines[2].contains("fair"),
             qPrintable(answer.out));
    QVERIFY2(!answer.out.contains("model"), qPrintable(answer.out));  // all of it was measured
    QVERIFY(!answer.err.contains("simulating"));                      // a progress bar is for terminals
  }

  // One and two replicas of `even` were measured, on one node.
  void whatWasNotMeasuredIsRefused() {
    const QStringList wide{"simulate",   beside("workload.csv"),
                           "--profiles", beside("profiles"),
                           "--nodes",    "2",
                           "--gpus",     "1",
                           "--policy",   "fifo"};
    VERIFY_REFUSED(kExitUsage,
                   "profiles: even: no step on 2 replicas of 2 nodes was measured, and there is no table",
                   ask(wide));
    const Answer modelled = ask(wide + QStringList{"--interpolate"});
    QCOMPARE(modelled.code, kExitOk);
    VERIFY_HOLDS(modelled.out, "Placements of even that were not measured follow a model");
    VERIFY_HOLDS(ask(wide + QStringList{"--interpolate", "--json"}).out, R"("modelled":["even"])");
  }

  void drawsWhoHadWhat() {
    const Answer answer = ask(simulateSmall({"--policy", "fifo,optimus", "--gantt", "chart.svg"}));
    QCOMPARE(answer.code, kExitOk);
    const QByteArray svg = contents("chart.svg");
    QVERIFY(svg.startsWith("<svg") && svg.endsWith("</svg>\n"));
    QCOMPARE(svg.count("<title>a: 2 replicas</title>"), 1);
    QCOMPARE(svg.count("<title>a: 1 replica</title>"), 1);
    QCOMPARE(svg.count("fifo: mean completion time"), 1);
    QCOMPARE(ask(simulateSmall({"--gantt", "chart.svg"})).code, kExitConflict);
    QCOMPARE(ask(simulateSmall({"--gantt", "chart.svg", "--force"})).code, kExitOk);
    QVERIFY(ask(simulateSmall({"--gantt", "-"})).out.endsWith("</svg>\n"));
    QCOMPARE(ask(simulateSmall({"--gantt", "chart.png"})).code, kExitUsage);
    QCOMPARE(ask(simulateSmall({"--gantt", "/nowhere/chart.svg"})).code, kExitFailure);
  }

  void refusesWorkloads_data() {
    const auto row = testing::columns<QByteArray, QString>({"workload", "message"});
    const QByteArray head = "name,time,application,num_replicas,batch_size\n";
    row("empty", "", "w.csv:1: the file is empty; expected a line name,time,");
    row("column", "name,time,application,batch_size\n",
        "w.csv:1: the first line has no column \"num_replicas\"");
    row("cells", head + "a,0,even,1\n", "w.csv:2: 4 cells where the first line has 5");
    row("time", head + "a,0,even,1,8\n\nb,soon,even,1,8\n",
        "w.csv:4: time is \"soon\"; expected a whole number, at least 0");
    row("replicas", head + "a,0,even,0,8\n",
        "w.csv:2: num_replicas is \"0\"; expected a whole number from 1 to");
    row("huge", head + "a,0,even,1,99999999999999999999\n", "w.csv:2: batch_size is");
    row("twice", head + "a,0,even,1,8\na,1,even,1,8\n", "w.csv:3: a second job \"a\"");
    row("path", head + "a,0,../even,1,8\n", "w.csv:2: application is \"../even\"");
    row("quote", head + "\"a,0,even,1,8\n", "w.csv:2: a quote is not closed");
    row("unknown", head + "a,0,evne,1,8\n", "job a needs a profile of \"evne\"");
    row("many", head + "a,0,even,3,8\n", "w.csv: a: asks for 3 of 2 devices");
  }
  void refusesWorkloads() {
    QFETCH(QByteArray, workload);
    QFETCH(QString, message);
    write("w.csv", workload);
    const Answer answer = ask({"simulate", "w.csv", "--profiles", beside("profiles"), "--nodes", "1",
                               "--gpus", "2", "--policy", "fifo", "--json"});
    QVERIFY(answer.code == kExitUsage || answer.code == kExitNotFound);
    VERIFY_HOLDS(answer.err, message);
    QVERIFY(answer.json()["error"].toObject()["message"].toString().contains(message));
  }

  void refusesProfiles_data() {
    const auto row = testing::columns<QString, QByteArray, QString>({"file", "text", "message"});
    const QByteArray steps = "placement,local_bsz,step_time,sync_time\n";
    const QByteArray epochs = "progress,iteration,grad_sqr,grad_var\n";
    row("placement", "placements.csv", steps + "1x,8,1,0\n",
        "placements.csv:2: placement is \"1x\"; expected the replicas on each node");
    row("time", "placements.csv", steps + "1,8,0,0\n",
        "placements.csv:2: step_time is \"0\"; expected a number above 0");
    row("sync", "placements.csv", steps + "1,8,1,1\n", "placements.csv:2: sync_time is 1; expected");
    row("not a number", "placements.csv", steps + "1,8,nan,0\n", "placements.csv:2: step_time");
    row("twice", "placements.csv", steps + "12,8,1,0\n21,8,1,0\n", "two rows of 3 replicas on 2 nodes");
    row("no steps", "placements.csv", steps, "no placement was measured");
    row("progress", "validation-8.csv", epochs + "9,1,1,1\n8,2,1,1\n",
        "validation-8.csv:3: progress is 8; expected more than the 9 of the epoch before");
    row("gradient", "validation-8.csv", epochs + "9,1,0,0\n", "validation-8.csv:2: grad_sqr and");
    row("no epochs", "validation-8.csv", epochs, "a training has no epochs");
    row("name", "validation-x.csv", epochs, "expected validation-B.csv with B the batch size");
    row("limit", "limits.csv", "name,value\nmax_bsz,3\n", "limits.csv:2: there is no limit \"max_bsz\"");
    row("limits", "limits.csv", "name,value\nmax_local_bsz,3\n",
        "the largest local batch size is below the smallest");
    row("between", "between.csv",
        QByteArray("num_nodes,num_replicas,local_bsz,step_time,sync_time\n3,2,8,1,0\n"),
        "between.csv:2: num_replicas is \"2\"; expected a whole number from 3 to");
  }
  void refusesProfiles() {
    QFETCH(QString, file);
    QFETCH(QByteArray, text);
    QFETCH(QString, message);
    QVERIFY(QDir(sandbox_->path("")).mkpath("profiles/even"));
    for (const QString name : {"placements.csv", "validation-8.csv"})
      QVERIFY(QFile::copy(beside("profiles/even/" + name), sandbox_->path("profiles/even/" + name)));
    QFile::remove(sandbox_->path("profiles/even/" + file));
    write("profiles/even/" + file, text);
    VERIFY_REFUSED(kExitUsage, message, ask({"simulate", beside("workload.csv"), "--profiles", "profiles"}));
  }

  // The one that is shipped, as its page says.
  void readsAScenario() {
    const Answer answer = ask({"simulate", SCENARIO});
    QCOMPARE(answer.code, kExitOk);
    for (const QString word : {"fifo", "las", "srtf", "fair", "fast", "pass"})
      QVERIFY2(answer.out.contains(word), qPrintable(answer.out));
    QVERIFY(!answer.out.contains("FAIL"));
    // The scenario's claims are about its own policies.
    const QStringList fair{"simulate", SCENARIO, "--policy", "optimus,fair", "--json"};
    const Answer two = ask(fair), four = ask(fair + QStringList{"--gpus", "4"});
    QCOMPARE(four.json()["policies"].toArray().size(), 2);
    QVERIFY(!four.json().contains("expectations"));
    QVERIFY(outcome(four, 1)["mean_jct"].toDouble() < outcome(two, 1)["mean_jct"].toDouble());
  }

  void judgesClaims() {
    const Answer passed = ask(
        simulateSmall({"--policy", "fifo,optimus", "--expect", "optimus.mean_jct < fifo.mean_jct", "--expect",
                       "fifo.mean_jct==260", "--expect", "fifo.makespan <= 1.0 * optimus.makespan"}));
    QCOMPARE(passed.code, kExitOk);
    const Answer failed =
        ask(simulateSmall({"--policy", "fifo", "--expect", "fifo.restarts > 0.5", "--json"}));
    QCOMPARE(failed.code, kExitExpectation);
    const QJsonObject claim = failed.json()["expectations"].toArray()[0].toObject();
    QCOMPARE(claim["expected"].toString(), "fifo.restarts > 0.5");
    QCOMPARE(claim["seen"].toString(), "0 and 0.5");
    QCOMPARE(claim["passed"].toBool(true), false);
    for (const QString wrong : {"fair.mean_jct < 3", "fifo.speed < 3", "fifo < 3", "x * fifo.makespan < 3",
                                "fifo.makespan", "fifo.makespan = 3"})
      VERIFY_REFUSED(kExitUsage, "expectation '" + wrong + "'",
                     ask(simulateSmall({"--policy", "fifo", "--expect", wrong})));
  }

  void refusesScenarios_data() {
    const auto row = testing::columns<QByteArray, QString>({"text", "message"});
    row("toml", "gpus = \n", "s.toml:1: ");
    row("profiles", "workload = \"w.csv\"\n", "s.toml:1: field 'profiles' is missing");
    row("workload", "profiles = \"p\"\n", "need a WORKLOAD");
    row("unknown", "profiles = \"p\"\ngpu = 3\n", "s.toml:2: unknown field 'gpu'");
    row("policy", "profiles = \"p\"\npolicies = [\"fare\"]\n", "s.toml:2: there is no policy \"fare\"");
    row("gpus", "profiles = \"p\"\ngpus = 2.5\n",
        "s.toml:2: field 'gpus': expected a whole number from 1 to 64");
    row("restart", "profiles = \"p\"\nrestart = -1\n", "s.toml:2: field 'restart': expected a number from 0");
    row("text", "profiles = 3\n", "s.toml:1: field 'profiles': expected a text in quotes");
    row("claim", "profiles = \"p\"\nexpect = [\n\"fair.mean_jct < 3\",\n\"fifo.mean_jct < 3\"]\n",
        "s.toml:4: expectation 'fifo.mean_jct < 3': the policy \"fifo\" is not among those simulated");
    row("expect", "profiles = \"p\"\nexpect = \"a\"\n", "s.toml:2: field 'expect': expected a list");
  }
  void refusesScenarios() {
    QFETCH(QByteArray, text);
    QFETCH(QString, message);
    write("s.toml", text);
    VERIFY_REFUSED(kExitUsage, message, ask({"simulate", "s.toml"}));
  }

  // Four epochs of 100 iterations, two of which have ended, of 0.1 s as the model has it, 0.2 s as was
  // measured and 0.3 s from the beginning of one epoch to that of the next: 120 s. A run that has not begun
  // takes as long.
  void simulatesRunsOfItsOwn() {
    const QString recorded = makeRun({.name = "recorded", .group = "night"});
    makeRun({.name = "waiting", .state = protocol::RunState::stopped, .group = "night"});
    makeRun({.name = "other"});
    VERIFY_REFUSED(kExitUsage, "none of these runs has recorded enough",
                   ask({"simulate", "--profiles", "runs:night"}));
    record(recorded.toStdString());
    const QStringList command{"simulate", "--profiles", "runs:night", "--policy", "fifo", "--restart", "0"};
    const Answer answer = ask(command + QStringList{"--json"});
    QCOMPARE(answer.code, kExitOk);
    const QJsonObject jobs = outcome(answer)["jobs"].toObject();
    QCOMPARE(jobs.size(), 2);
    for (const QString& job : jobs.keys())
      QVERIFY2(std::abs(jobs[job].toDouble() - 120) <= 1, qPrintable(answer.out));
    VERIFY_HOLDS(answer.out, "waiting has the profile of recorded");
    // One device: one after the other. On it alone nothing is guessed of two.
    const QJsonObject one = outcome(ask(command + QStringList{"--gpus", "1", "--json"}))["jobs"].toObject();
    QVERIFY(one["waiting"].toDouble() + one["recorded"].toDouble() > 120 + 239);
    write("w.csv", "name,time,application,num_replicas,batch_size\na,0,recorded,1,8\n");
    const Answer own = ask(
        {"simulate", "w.csv", "--profiles", "runs:night", "--policy", "fifo", "--restart", "0", "--json"});
    QVERIFY2(std::abs(outcome(own)["jobs"].toObject()["a"].toDouble() - 120) <= 1, qPrintable(own.out));
    write("w.csv", "name,time,application,num_replicas,batch_size\na,0,other,1,8\n");
    VERIFY_REFUSED(kExitUsage, "there is no profile of \"other\"",
                   ask({"simulate", "w.csv", "--profiles", "runs:night"}));
    QCOMPARE(ask({"simulate", "--profiles", "runs:nobody"}).code, kExitNotFound);
  }

  void refusesArguments() {
    QCOMPARE(ask({"simulate"}).code, kExitUsage);
    QCOMPARE(ask({"simulate", "nowhere.toml"}).code, kExitNotFound);
    QCOMPARE(ask({"simulate", "--profiles", beside("profiles")}).code, kExitUsage);
    QCOMPARE(ask({"simulate", "nowhere.csv", "--profiles", beside("profiles")}).code, kExitNotFound);
    QCOMPARE(ask({"simulate", beside("workload.csv"), "--profiles", "nowhere"}).code, kExitNotFound);
    QCOMPARE(ask({"simulate", beside("workload.csv")}).code, kExitUsage);
    VERIFY_REFUSED(kExitUsage, "plutox", ask(simulateSmall({"--policy", "fair,plutox"})));
    QCOMPARE(ask(simulateSmall({"--interference", "1"})).code, kExitUsage);
    QCOMPARE(ask(simulateSmall({"--nodes", "0"})).code, kExitUsage);
  }

  // Each of 160 jobs, to the second, on all eight workloads.
  void repeatsThePublishedResults() {
    if (const QString why = publishedMissing(); !why.isEmpty()) QSKIP(qPrintable(why));
    for (const QString policy : {"tiresias", "optimus"}) {
      const QJsonObject expected = published(policy)["jcts"].toObject();
      QCOMPARE(expected.size(), 8);
      for (const QString& workload : expected.keys()) {
        const QJsonObject jobs = outcome(simulatePublished(workload, policy))["jobs"].toObject();
        QCOMPARE(jobs.size(), 160);
        for (const QString& job : jobs.keys())
          QVERIFY2(
              jobs[job].toDouble() == expected[workload].toObject()[job].toDouble(),
              qPrintable(QString("%1, %2: %3 is %4").arg(policy, workload, job).arg(jobs[job].toDouble())));
      }
    }
  }

  // Pollux is a genetic algorithm by chance; its objective, by the models that jobs fit, comes near its mean.
  void comesNearThePublishedPollux() {
    if (const QString why = publishedMissing(); !why.isEmpty()) QSKIP(qPrintable(why));
    const QString workload = "workload-6";
    const double reference = published("pollux")["avgs"].toObject()[workload].toDouble();
    const Answer answer = simulatePublished(workload, "pollux,fair,fast");
    QVERIFY(std::abs(outcome(answer, 0)["mean_jct"].toDouble() / reference - 1) < 0.05);
    QVERIFY(outcome(answer, 1)["mean_jct"].toDouble() < reference);
    QVERIFY(outcome(answer, 1)["worst_fairness"].toDouble() < 2.21);  // as its results have
    QVERIFY(outcome(answer, 2)["mean_jct"].toDouble() < 2300);
  }

 private:
  // Two epochs of a run on one replica.
  void record(const std::string& id) const {
    storage::Catalogue store = catalogue();
    store.put_generation(id, {0, 1, "start", 1, 2, 1, 200, "", -1, {}, "finished"});
    store.put_epoch(id, {0, 0, 1, 21, 1, 100});
    store.put_epoch(id, {1, 0, 31, 51, 101, 200});
    protocol::Model model;
    model.perf = {.alpha_c = 0.1, .gamma = 1};
    model.grad_sqr = 1;
    model.init_batch_size = model.max_batch_size = model.max_local_batch_size = 8;
    store.put_model(id, 0, model);
    storage::SampleWriter writer(sandbox_->samples(QString::fromStdString(id)).toStdString());
    for (int step = 1; step <= 200; ++step)
      for (const auto& [name, value] : std::map<std::string, double>{{"progress", step},
                                                                     {"step_time", 0.2},
                                                                     {"local_batch_size", 8},
                                                                     {"accumulation_steps", 0},
                                                                     {"grad_sqr", 1},
                                                                     {"grad_var", 0}})
        writer.append(0, name, step, value);
  }

  static QString publishedFolder() {
    return qEnvironmentVariable("BATCHSCOPE_POLLUX_DIR", QStringLiteral(POLLUX_FOLDER));
  }

  // Empty where the measurements are there, and their profiles made.
  QString publishedMissing() {
    const QString folder = publishedFolder();
    if (!QFileInfo::exists(folder + "/expected/pollux.json"))
      return "the measurements published with Pollux are not in " + folder + " (BATCHSCOPE_POLLUX_DIR)";
    if (QFileInfo::exists(profiles())) return {};
    QProcess tool;
    tool.start("/usr/bin/python3", {QStringLiteral(PROFILES_TOOL), folder + "/traces", profiles()});
    if (tool.waitForFinished(-1) && tool.exitStatus() == QProcess::NormalExit && tool.exitCode() == 0)
      return {};
    QDir(profiles()).removeRecursively();  // half a table gives other numbers
    return "their profiles could not be made: " + QString::fromUtf8(tool.readAllStandardError()).trimmed();
  }

  QString profiles() const { return made_.filePath("profiles"); }

  static QJsonObject published(const QString& policy) {
    QFile file(publishedFolder() + "/expected/" + policy + ".json");
    if (!file.open(QIODevice::ReadOnly)) return {};
    return QJsonDocument::fromJson(file.readAll()).object();
  }

  Answer simulatePublished(const QString& workload, const QString& policies) {
    return ask({"simulate", publishedFolder() + "/workloads/" + workload + ".csv", "--profiles", profiles(),
                "--policy", policies, "--json"});
  }
  QTemporaryDir made_;
};

BATCHSCOPE_TEST(TestSimulate)
#include "test_simulate.moc"
