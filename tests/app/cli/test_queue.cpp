// SPDX-License-Identifier: Apache-2.0
//
// The commands about the queue, and all others on a run that waits in it. What the pool's process says is put
// into the store in its place: whatever it is asked to start here is held.
#include <sqlite3.h>

#include "batchscope/run/machine.h"
#include "command_test.h"
#include "rows.h"

using namespace batchscope;
using namespace batchscope::cli;

class TestQueue : public CommandTest {
  Q_OBJECT

 private Q_SLOTS:
  void init() { newSandbox(); }
  // Jobs that a failed test left would be started.
  void cleanup() {
    storage::Catalogue catalogue = this->catalogue();
    for (const storage::Job& job : catalogue.jobs()) catalogue.cancel_waiting(job.run, "");
  }

  void submits() {
    const Answer answer = ask({"submit", "true", "--hold", "--name", "mine", "--group", "rates"});
    VERIFY_CODE(kExitOk, answer);
    QVERIFY2(answer.out.contains(QRegularExpression("^mine \\(\\w{8}\\) is held in the queue")),
             qPrintable(answer.out));
    const QJsonObject run = runs()[0].toObject();
    QCOMPARE(run["state"].toString(), "pending");
    QCOMPARE(run["group"].toString(), "rates");
    QCOMPARE(run["auto_replicas"].toString(), "auto");

    const QJsonObject job = ask({"submit", "true", "--hold", "--json", "--after", "mine", "--priority", "-2",
                                 "--pin", "--replicas", "1-2", "--tls", "--", "--a", "b"})
                                .json()["job"]
                                .toObject();
    QCOMPARE(job["asked"].toString(), "auto:1-2");
    QCOMPARE(job["after"].toString(), run["id"].toString());
    QCOMPARE(job["after_end"].toString(), "ok");
    const QJsonObject behind =
        ask({"submit", "true", "--hold", "--json", "--name", "behind", "--after", "mine:fail"})
            .json()["job"]
            .toObject();
    QCOMPARE(behind["after"].toString(), run["id"].toString());
    QCOMPARE(behind["after_end"].toString(), "fail");
    QCOMPARE(job["priority"].toInt(), -2);
    QCOMPARE(job["preemptible"].toBool(), false);
    QCOMPARE(show("true")["spec"].toObject()["arguments"].toArray(), (QJsonArray{"--a", "b"}));
    QVERIFY(show("true")["spec"].toObject()["tls"].toBool());
  }

  // The run is there by then, and its id has to be told.
  void tagsThatCannotBeWrittenAreTold() {
    makeRun();
    sqlite3* store = nullptr;
    QCOMPARE(sqlite3_open(qPrintable(sandbox_->database()), &store), SQLITE_OK);
    const char* const refuses =
        "CREATE TRIGGER kept BEFORE INSERT ON tag BEGIN SELECT RAISE(ABORT, 'kept'); END";
    QCOMPARE(sqlite3_exec(store, refuses, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(store);
    const Answer answer = ask({"submit", "true", "--hold", "--name", "mine", "--tag", "paper"});
    VERIFY_CODE(kExitOk, answer);
    VERIFY_HOLDS(answer.out, "is held in the queue");
    VERIFY_HOLDS(answer.err, "goes on without its tags and its note");
  }

  void leavesTheNumberAloneThatSomebodySaid_data() {
    const auto row = testing::columns<QStringList, QString>({"flags", "asked"});
    row("nothing", {}, "auto");
    row("a number", {"--replicas", "1"}, "1");
    row("a range", {"--replicas", "1-4"}, "auto:1-4");
    row("at least", {"--replicas", "auto:1"}, "auto");
    row("pinned", {"--pin"}, "1");
  }
  void leavesTheNumberAloneThatSomebodySaid() {
    QFETCH(QStringList, flags);
    QTEST(ask(QStringList{"submit", "true", "--hold", "--json"} + flags)
              .json()["job"]
              .toObject()["asked"]
              .toString(),
          "asked");
  }

  void refuses_data() {
    const auto row = testing::columns<QStringList, int, QString>({"arguments", "code", "complaint"});
    row("too many", {"submit", "true", "--hold", "--replicas", "4000"}, kExitConflict, "ask for fewer");
    row("no program", {"submit", "nosuch-program"}, kExitNotFound, "nosuch-program");
    row("no run before", {"submit", "true", "--hold", "--after", "nosuch"}, kExitNotFound, "nosuch");
    row("priority", {"submit", "true", "--priority", "11"}, kExitUsage, "--priority");
    row("contradiction", {"pool", "--pause", "--resume"}, kExitUsage, "contradict each other");
    row("devices", {"pool", "--devices", "0"}, kExitUsage, "or all");
    row("policy", {"pool", "--policy", "best"}, kExitUsage, "best");
    row("price", {"pool", "--price", "nan"}, kExitUsage, "--price");
    row("tiny price", {"pool", "--price", "1e-320"}, kExitUsage, "expected 0, or 1e-06 to");
    row("file for a notice", {"pool", "--preempt-notice", "file:///etc/passwd"}, kExitUsage, "http://");
    row("two lines", {"pool", "--scale-command", "a\nb"}, kExitUsage, "one line");
    row("two lines of notice", {"pool", "--preempt-notice", "a\nb"}, kExitUsage, "one line");
    row("turn", {"pool", "--turn", "nan"}, kExitUsage, "nan");
    row("short turns", {"pool", "--turn", "0"}, kExitUsage, "turns of 0 s");
    row("no node", {"pool", "--agents", "-oProxyCommand=x"}, kExitUsage, "is not a node");
    row("nodes twice", {"pool", "--agents", "n2", "--nodes-from", "true"}, kExitUsage, "--agents");
    row("two lines of nodes", {"pool", "--nodes-from", "a\nb"}, kExitUsage, "one line");
    row("here", {"pool", "--here", "maybe"}, kExitUsage, "maybe");
    row("nodes of nobody", {"pool", "--nodes", "1-2"}, kExitUsage, "--slurm");
    row("nodes of two", {"pool", "--slurm", "--nodes-from", "x"}, kExitUsage, "leave out --nodes-from");
    row("nodes of Slurm", {"pool", "--slurm", "--nodes", "3-1"}, kExitUsage, "3-1");
    row("argument of Slurm", {"pool", "--slurm", "--sbatch-arg=--wrap=x"}, kExitUsage, "--wrap");
    row("no advice", {"pool", "--advise"}, kExitNotFound, "decided nothing");
    row("nowhere", {"rescale", "latest"}, kExitUsage, "--devices");
    row("no device", {"rescale", "latest", "--devices", "gpu0"}, kExitUsage, "gpu0");
    row("twice", {"rescale", "latest", "--devices", "cpu:0,cpu:0"}, kExitUsage, "named twice");
    row("auto", {"rescale", "latest", "auto", "--devices", "cpu:0"}, kExitUsage, "does not go with auto");
    row("resume", {"resume", "latest", "--devices", "cpu:0,cpu:0"}, kExitUsage, "named twice");
  }
  void refuses() {
    QFETCH(QStringList, arguments);
    QFETCH(int, code);
    QFETCH(QString, complaint);
    VERIFY_REFUSED(code, complaint, ask(arguments));
    QCOMPARE(runs().size(), 0);
  }

  void showsTheQueue() {
    QVERIFY(ask({"queue"}).out.contains("The queue is empty"));
    const std::string first = submit({.name = "first"}), second = submit({.name = "second", .priority = 3}),
                      third = submit({.name = "third", .after = first, .held = true});
    storage::Catalogue catalogue = this->catalogue();
    storage::Job told = catalogue.job(second).value();
    told.target = {"cpu:0", "cpu:1"};
    told.reason = "2 replicas: +60 %";
    told.expected_end = storage::now() + 3600;
    catalogue.put_job(told);

    const QStringList lines = ask({"queue"}).out.split('\n');
    QVERIFY2(lines[1].contains(QRegularExpression("^1 +\\w{8} +second +pending +0 -> 2 .*(59:|1:00:)")),
             qPrintable(lines[1]));
    QCOMPARE(lines[2].trimmed(), "priority 3; 2 replicas: +60 %");
    QVERIFY2(lines[3].contains(QRegularExpression("^2 +\\w{8} +first +pending +\\(auto:1-2\\)")),
             qPrintable(lines[3]));
    QVERIFY2(lines[4].contains(QRegularExpression("^ +\\w{8} +third +held")), qPrintable(lines[4]));
    VERIFY_HOLDS(lines[5], "after first");
    VERIFY_HOLDS(lines[7], "in use, mean wait 0:0");

    const QJsonArray queue = ask({"queue", "--json"}).json()["queue"].toArray();
    QCOMPARE(names(queue), QStringList({"second", "first", "third"}));
    QCOMPARE(queue[0].toObject()["target"].toArray(), (QJsonArray{"cpu:0", "cpu:1"}));
    QCOMPARE(queue[1].toObject()["place"].toInt(), 2);
    QVERIFY(queue[2].toObject()["place"].isNull());
    QCOMPARE(queue[2].toObject()["state"].toString(), "held");
  }

  void foldsTrialsThatWaitAtARung() {
    makeSweep("rates", {{.accuracy = 0.9}, {.accuracy = 0.8}, {.accuracy = 0.7}});
    submit({.name = "mine"});
    const QString out = ask({"queue"}).out;
    VERIFY_HOLDS(out, "3 wait at rung 0 of rates", "batchscope queue --trials");
    QVERIFY(out.indexOf("mine") < out.indexOf("rates"));
    QVERIFY(!out.contains("rates-0") && !out.contains("resume") && !out.contains("held"));
    VERIFY_HOLDS(ask({"queue", "--trials"}).out, "rates-0", "rates-2", "waits at rung 0 of rates");
    const QJsonObject job = ask({"queue", "--json"}).json()["queue"].toArray()[0].toObject();
    QCOMPARE(job["reason"].toString(), "waits at rung 0 of rates");
    QCOMPARE(job["trial"].toInt(-1), 0);
  }

  // Whether a pool is there to say so or not.
  void saysWhatOneWaitsForInVain() {
    const QString before = makeRun({.name = "before", .state = protocol::RunState::failed});
    submit({.name = "behind", .after = before.toStdString(), .held = true});
    VERIFY_HOLDS(ask({"queue"}).out, "has failed", "begins only when it has finished");
  }

  void fitsIntoANarrowTerminal() {
    submit({.name = std::string(40, 'n')});
    const auto process = sandbox_->prepare({"queue"}, {{"COLUMNS", "80"}});
    for (const QString& line : Sandbox::run(*process).out.split('\n'))
      QVERIFY2(line.size() <= 80, qPrintable(line));
  }

  void changesTheQueue() {
    const auto id = [&](const char* name) {
      return QString::fromStdString(submit({.name = name, .held = true}));
    };
    const QString first = id("first"), second = id("second");
    VERIFY_CODE(kExitOk, ask({"pool", "--pause"}));
    VERIFY_HOLDS(ask({"priority", "second", "4"}).out, "has priority 4");
    QCOMPARE(names(ask({"queue", "--json"}).json()["queue"].toArray()), QStringList({"second", "first"}));
    VERIFY_HOLDS(ask({"priority", "second", "-4"}).out, "has priority -4");
    VERIFY_HOLDS(ask({"priority", "second", "--", "-5"}).out, "has priority -5");
    QCOMPARE(ask({"release", first, "--json"}).json()["released"].toArray(), QJsonArray{first});
    QCOMPARE(ask({"show", first, "--json"}).json()["job"].toObject()["place"].toInt(), 1);
    QCOMPARE(ask({"hold", first, second, "--json"}).json()["held"].toArray(), (QJsonArray{first, second}));
    QCOMPARE(ask({"show", first, "--json"}).json()["job"].toObject()["state"].toString(), "held");

    VERIFY_HOLDS(ask({"cancel", "--", first}).out, "taken out of the queue");
    const Answer again = ask({"cancel", first, second});
    QCOMPARE(again.code, kExitConflict);
    VERIFY_HOLDS(again.err, "was stopped: `batchscope resume", "puts it back into the queue");
    VERIFY_HOLDS(again.out, "second");
    const QString third = id("third");
    const QJsonObject partly = ask({"cancel", first, third, "--json"}).json();
    QCOMPARE(partly["cancelled"].toArray(), QJsonArray{third});
    QCOMPARE(partly["error"].toObject()["kind"].toString(), "conflict");
    QCOMPARE(names(ask({"queue", "--json"}).json()["queue"].toArray()), QStringList());
    const QJsonArray all = ask({"queue", "--all", "--json"}).json()["queue"].toArray();
    QCOMPARE(all.size(), 3);
    QCOMPARE(all[0].toObject()["state"].toString(), "cancelled");
    VERIFY_CODE(kExitNotFound, ask({"cancel", "first", "nosuch"}));
    // One that is held while it trains has not paused yet.
    const std::string busy = submit({.name = "busy", .held = true});
    catalogue().set_state(busy, protocol::RunState::starting);
    VERIFY_HOLDS(ask({"release", "busy"}).out, "busy", "released; `batchscope queue` says when");
    catalogue().set_state(busy, protocol::RunState::finished);
    makeRun({.name = "plain"});
    for (const char* command : {"cancel", "hold", "release"})
      VERIFY_REFUSED(kExitNotFound, "not in the queue", ask({command, "plain"}));
  }

  void keepsThePoolsSettings() {
    const auto settings = [&](const QStringList& flags) {
      return ask(QStringList{"pool", "--json"} + flags).json()["settings"].toObject();
    };
    QCOMPARE(settings({})["policy"].toString(), "fair");
    for (const char* policy : {"pollux", "adaptdl", "sia"})
      QCOMPARE(settings({"--policy", policy})["policy"].toString(), policy);
    settings({"--policy", "fast", "--devices", "1", "--price", "0.5", "--turn", "2m"});
    settings({"--drain", "--scale-command", "./more", "--preempt-notice", "http://host/notice", "--tls"});
    const QJsonObject kept = settings({"--pause"});
    QCOMPARE(kept["policy"].toString(), "fast");
    QCOMPARE(kept["devices"].toInt(), 1);
    QCOMPARE(kept["turn"].toDouble(), 120.);
    QCOMPARE(kept["price_per_device_hour"].toDouble(), 0.5);
    QCOMPARE(kept["scale_command"].toString(), "./more");
    QCOMPARE(kept["preempt_notice"].toString(), "http://host/notice");
    QVERIFY(kept["paused"].toBool() && kept["draining"].toBool() && kept["tls"].toBool());
    const QString out = ask({"pool"}).out;
    VERIFY_HOLDS(out, "paused", "draining", "fast", "of 2 min", "0.5 per device", "./more",
                 "encrypted (TLS)");
    const run::Machine machine = run::Machine::here();
    QCOMPARE(out.contains("at most 1 of"), std::max(machine.cores.size(), machine.gpus.size()) > 1);
    const QJsonObject back = settings({"--resume", "--no-drain", "--devices", "all", "--price", "0",
                                       "--scale-command", "", "--preempt-notice", "", "--tls=no"});
    QVERIFY(!back["paused"].toBool() && !back["draining"].toBool() && !back["tls"].toBool());
    QCOMPARE(back["devices"].toInt(), 0);
    QCOMPARE(back["scale_command"].toString(), "");
    settings({"--devices", "99999"});
    QVERIFY(!ask({"pool"}).out.contains("at most"));
  }

  void listsTheMachinesOfThePool() {
    ask({"pool", "--here", "no", "--agents", "n2", "--agents-by", "/bin/false"});
    VERIFY_HOLDS(ask({"pool"}).out, "node n2", "not there for", "exit code 1");
    ask({"submit", "--hold", "--replicas", "1", "true"});
    const Answer queue = ask({"queue"});
    VERIFY_HOLDS(queue.out, "NODE", "n2", "not there for", "exit code 1");
    const QJsonObject node = ask({"queue", "--json"}).json()["nodes"].toArray()[0].toObject();
    QCOMPARE(node["node"].toString(), "n2");
    QVERIFY(!node["there"].toBool());
  }

  void keepsACommandForNodesUntilItHasTakenThemBack() {
    const auto settings = [&](const QStringList& flags) {
      return ask(QStringList{"pool", "--json"} + flags).json()["settings"].toObject();
    };
    const QJsonObject kept = settings({"--nodes-from", "./nodes.sh", "--here", "no"});
    QCOMPARE(kept["nodes_from"].toString(), "./nodes.sh");
    QVERIFY(!kept["here"].toBool());
    VERIFY_HOLDS(ask({"pool"}).out, "./nodes.sh", "none of this machine's");
    VERIFY_REFUSED(kExitUsage, "end that first", ask({"pool", "--agents", "n2"}));
    const QJsonObject ending = settings({"--nodes-from", ""});
    QVERIFY(ending["nodes_ending"].toBool() || ending["nodes_from"].toString().isEmpty());
    QTRY_VERIFY(settings({})["nodes_from"].toString().isEmpty());
    QVERIFY(!settings({"--nodes-from", ""})["nodes_ending"].toBool());
  }

  void tellsDecisions() {
    const std::string id = submit({.name = "first"});
    storage::Catalogue catalogue = this->catalogue();
    protocol::PoolDecision decision;
    for (const char* cause : {"the pool began", "first arrived"}) {
      decision.time = storage::now();
      decision.cause = cause;
      decision.policy = "fair";
      decision.choices = {{id, {"cpu:0", "cpu:1"}, 1, "worth", "2 devices", {{1, -0.4}, {3, 0.12}, {0, -1}}}};
      decision.idle = {"cpu:2"};
      decision.utility = 0.8;
      decision.wanted = 5;
      decision.advice = "2 more cores would end the queue 41 min sooner";
      catalogue.add_decision(decision);
    }
    const QString out = ask({"pool"}).out;
    VERIFY_HOLDS(out, "Decision 2", "first arrived", "cpu:0-1", "worth",
                 "2 devices; with 1: -40 %, with 3: +12 %, with none it would wait", "idle: cpu:2", "41 min");
    VERIFY_HOLDS(ask({"queue"}).out, "41 min");
    VERIFY_HOLDS(ask({"pool", "--decisions"}).out, "the pool began", "first arrived");
    QVERIFY(!ask({"pool", "--decisions", "1"}).out.contains("the pool began"));
    const QJsonArray list = ask({"pool", "--decisions", "--json"}).json()["decisions"].toArray();
    QCOMPARE(list.size(), 2);
    QCOMPARE(list[1].toObject()["choices"].toArray()[0].toObject()["alternatives"].toArray().size(), 3);
    QCOMPARE(ask({"pool", "--json"}).json()["decision"].toObject()["cause"].toString(), "first arrived");
    VERIFY_HOLDS(ask({"pool", "--advise"}).out, "41 min");
    const QJsonObject advice = ask({"pool", "--advise", "--json"}).json();
    QCOMPARE(advice["devices"].toInt(), 3);
    QCOMPARE(advice["wanted"].toInt(), 5);
    QCOMPARE(advice["utility"].toDouble(), 0.8);
    catalogue.cancel_waiting(id, "cancelled before it began");  // of a queue that has ended there is none
    for (const QStringList& command : {QStringList{"pool"}, {"queue", "--all"}, {"pool", "--advise"}})
      QVERIFY(!ask(command).out.contains("41 min"));
    VERIFY_HOLDS(ask({"pool", "--advise"}).out, "3 devices are enough");
  }

  void saysWhatARunInTheQueueIs() {
    submit({.name = "first", .priority = 2});
    VERIFY_HOLDS(ask({"ls", "--where", "state=pending"}).out, "first", "pending");
    const QString out = ask({"show", "first"}).out;
    VERIFY_HOLDS(out, "pending", "queued", "number 1 in the queue", "priority 2", "waited");
    QVERIFY2(!out.contains("started"), "it has not");
    VERIFY_CODE(kExitOk, ask({"export", "first", "-o", "first.jsonl"}));
    VERIFY_CODE(kExitOk, ask({"import", "first.jsonl", "--name", "copy"}));
    QCOMPARE(show("copy")["state"].toString(), "stopped");
  }

  void tellsWhatIsToBeDoneWithAWaitingRun_data() {
    QTest::addColumn<QStringList>("arguments");
    for (const QStringList& arguments : {QStringList{"stop", "first"},
                                         {"pause", "first"},
                                         {"resume", "first"},
                                         {"checkpoint", "first"},
                                         {"logs", "first"},
                                         {"rm", "first"},
                                         {"rm", "--purge", "--yes", "first"}})
      QTest::newRow(qPrintable(arguments.join(' '))) << arguments;
  }
  void tellsWhatIsToBeDoneWithAWaitingRun() {
    QFETCH(QStringList, arguments);
    submit({.name = "first"});
    const Answer answer = ask(arguments);
    QCOMPARE(answer.code, kExitConflict);
    VERIFY_HOLDS(answer.err, "is number 1 in the queue", "batchscope queue", "batchscope hold",
                 "batchscope cancel");
    QCOMPARE(runs().size(), 1);
  }

  void aWaitingRunAsksForAnotherNumber() {
    VERIFY_CODE(kExitOk, ask({"submit", "true", "--hold", "--name", "first"}));
    const auto asked = [&] {
      return ask({"queue", "--json"}).json()["queue"].toArray()[0].toObject()["asked"].toString();
    };
    const Answer answer = ask({"rescale", "first", "1"});
    VERIFY_CODE(kExitOk, answer);
    VERIFY_HOLDS(answer.out, "asks for 1 replica from now on");
    QCOMPARE(asked(), "1");
    VERIFY_REFUSED(kExitConflict, "ask for fewer", ask({"rescale", "first", "4000"}));
    VERIFY_REFUSED(kExitConflict, "the pool chooses its devices",
                   ask({"rescale", "first", "--devices", "cpu:0"}));
    QCOMPARE(asked(), "1");
    VERIFY_CODE(kExitOk, ask({"rescale", "first", "auto"}));
    QCOMPARE(asked(), "auto");
  }

  // The run's supervisor, this process, does not listen any more.
  void aRunThatHasJustEndedIsOver() {
    const std::string id = makeBusyRun(10).toStdString();
    catalogue().set_state(id, protocol::RunState::stopped);
    VERIFY_REFUSED(kExitConflict, "was stopped; `batchscope resume", ask({"stop", "busy"}));
  }

  void attachesToAWaitingRun() {
    submit({.name = "before"});
    const std::string id = submit({.name = "first"});
    auto process = sandbox_->start({"attach", "first"});
    QByteArray out;
    QVERIFY(awaitOutput(*process, out, "is number 2 in the queue"));
    catalogue().prioritise(id, 1);
    QVERIFY(awaitOutput(*process, out, "is number 1 in the queue"));
    catalogue().cancel_waiting(id, "cancelled before it began");
    const Answer answer = Sandbox::finish(*process);
    QCOMPARE(answer.code, kExitCheckpointed);
    QVERIFY(QString(out + answer.out.toUtf8()).contains("stopped"));
  }

  void tellsWhoHadWhichDevices() {
    const std::string id = submit({.name = "first"});
    storage::Catalogue catalogue = this->catalogue();
    const auto lease = [&](const std::vector<std::string>& devices, int generation, const char* why) {
      catalogue.lease_devices(
          id, [&](const auto&, const auto&) { return devices; }, generation, why);
    };
    lease({"cpu:0"}, 0, "start");
    lease({"cpu:0", "cpu:1"}, 1, "rescale");
    catalogue.release_devices(id);
    VERIFY_HOLDS(ask({"show", "first"}).out, "Devices", "cpu:1", "rescale");
    const QJsonArray leases = ask({"show", "first", "--json"}).json()["leases"].toArray();
    QCOMPARE(leases.size(), 2);
    QCOMPARE(leases[0].toObject()["why"].toString(), "start");
    QVERIFY(leases[1].toObject()["until"].toDouble() >= leases[1].toObject()["since"].toDouble());
  }

  void tellsOfAQueueWithoutAPool() {
    submit({.name = "held", .held = true});
    QVERIFY2(!ask({"doctor"}).out.contains("runs wait"), "nobody is to start it");
    VERIFY_HOLDS(ask({"pool"}).out, "idle, until there is something to decide");
    submit({.name = "first"});
    VERIFY_HOLDS(ask({"doctor"}).out, "runs wait, but no pool is running", "batchscope pool --resume");
    VERIFY_HOLDS(ask({"pool"}).out, "not running, though runs wait");
    QVERIFY(!ask({"pool", "--json"}).json()["alive"].toBool());
  }

  void completesThoseInTheQueue() {
    makeRun({.name = "plain"});
    submit({.name = "first"});
    QVERIFY(!ask({"__complete", "cancel", ""}).out.contains("plain"));
    QVERIFY(ask({"__complete", "hold", "fi"}).out.startsWith("first\t"));
    QVERIFY(ask({"__complete", "submit", "--after", "pl"}).out.startsWith("plain\t"));
    QVERIFY(ask({"__complete", "pool", "--policy", ""}).out.startsWith("fair\t\nfast\t"));
  }

 private:
  struct Maker {
    std::string name;
    int priority = 0;
    std::string after = {};
    bool held = false;
  };
  // Submits into the store alone: no pool is started for it.
  std::string submit(const Maker& maker) const {
    protocol::RunSpec spec;
    spec.name = maker.name;
    spec.program = "/bin/true";
    spec.auto_replicas = protocol::AutoReplicas{1, 2};
    storage::Job job;
    job.priority = maker.priority;
    job.after = maker.after;
    job.held = maker.held;
    return catalogue().submit_run(spec, job);
  }
  QJsonObject show(const char* run) const { return ask({"show", run, "--json"}).json()["run"].toObject(); }
  static QStringList names(const QJsonArray& queue) {
    QStringList list;
    for (const QJsonValue& job : queue) list << job.toObject()["name"].toString();
    return list;
  }
};

BATCHSCOPE_TEST(TestQueue)
#include "test_queue.moc"
