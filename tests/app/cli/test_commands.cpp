// SPDX-License-Identifier: Apache-2.0
//
// The real program in a store of its own: exit codes, JSON, words. Nothing here starts a run.
#include "command_test.h"
#include "rows.h"

using namespace batchscope;
using namespace batchscope::cli;

class TestCommands : public CommandTest {
  Q_OBJECT

 private Q_SLOTS:
  void init() { newSandbox(); }

  void helpIsThere_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("none") << QStringList{};
    QTest::newRow("--help") << QStringList{"--help"};
    QTest::newRow("help") << QStringList{"help"};
    for (const char* command :
         {"run",    "ls",   "show",    "rescale",     "checkpoint", "pause",   "resume", "fork",  "stop",
          "attach", "logs", "cp",      "tensorboard", "rm",         "restore", "gc",     "diff",  "plot",
          "tail",   "tag",  "note",    "rename",      "doctor",     "adopt",   "submit", "queue", "pool",
          "cancel", "hold", "release", "priority",    "sweep",      "noise",   "branch"}) {
      QTest::newRow(command) << QStringList{command, "--help"};
      QTest::newRow(qPrintable(QString("help ") + command)) << QStringList{"help", command};
    }
  }
  void helpIsThere() {
    QFETCH(QStringList, arguments);
    const Answer answer = ask(arguments);
    QCOMPARE(answer.code, kExitOk);
    VERIFY_HOLDS(answer.out, "Usage: batchscope");
    VERIFY_HOLDS(answer.out, "Example");
    QVERIFY2(!answer.out.contains("\n\n\n"), "two empty lines");
    QVERIFY2(!answer.out.contains("supervise RUN"), "the supervisor's own command is not for people");
    QCOMPARE(answer.err, QString());
  }

  void listsExitCodes() {
    const Answer answer = ask({"help", "exit-codes"});
    QCOMPARE(answer.code, kExitOk);
    for (const char* code : {"  0 ", "  1 ", "  2 ", "  3 ", "  4 ", "  5 ", "  6 ", "  7 ", "143 "})
      QVERIFY2(answer.out.contains(code), code);
  }

  void listsTheKeysOfASweepsFile() {
    const Answer answer = ask({"help", "sweep-file"});
    QCOMPARE(answer.code, kExitOk);
    for (const char* key :
         {"  name ", "  recipe ", "  metric, goal ", "[stop]", "  eta ", "[parameter.NAME]", "  when "})
      VERIFY_HOLDS(answer.out, key);
    VERIFY_HOLDS(ask({"sweep", "new", "--example"}).out, "batchscope help sweep-file");
  }

  void refusesMistypedCommandLines_data() {
    const auto row = testing::columns<QStringList, QString>({"arguments", "complaint"});
    row("command", {"shwo", "latest"}, "did you mean show?");
    row("command before --help", {"shwo", "--help"}, "has no command \"shwo\"; did you mean show?");
    row("flag", {"show", "latest", "--jsn"}, "did you mean --json?");
    row("flag before run", {"run", "--replica", "2", "digits"},
        "did you mean --replicas? Put the program's own arguments after \"--\"");
    row("flag of a program", {"run", "--learning-speed", "2", "digits"},
        "no flag --learning-speed; put the program's own arguments after \"--\"; see batchscope run --help");
    row("flag like no other", {"show", "latest", "--bogus"},
        "has no flag --bogus; see batchscope show --help");
    row("command like no other", {"brew"}, "has no command \"brew\"; batchscope --help lists them");
    row("command of others", {"compare", "a", "b"}, "has no command \"compare\"; did you mean diff?");
    row("topic of others", {"help", "list"}, "did you mean ls?");
    row("topic like no other", {"help", "brewing"}, "\"brewing\"; batchscope --help lists the commands");
    row("missing", {"show"}, "RUN");
    row("surplus", {"show", "a", "b"}, "does not take \"b\"");
    row("replicas", {"run", "true", "--replicas", "0"}, "--replicas");
    for (const char* number : {"nan", "inf", "-0.1", "1.1", "1e999", ""})
      QTest::addRow("floor '%s'", number)
          << QStringList{"run", "true", "--detach", "--efficiency-floor", number} << "--efficiency-floor";
    for (const char* number : {"nan", "-1", "inf"})
      QTest::addRow("days %s", number) << QStringList{"gc", "--yes", "--days", number} << "--days";
    for (const char* flag : {"--timeout", "--checkpoint-every", "--hang-timeout", "--rescale-timeout"})
      for (const char* time : {"nan", "inf", "1e300", "-1"})
        QTest::addRow("%s %s", flag, time)
            << QStringList{"run", "true", flag, time} << QString("batchscope: %1: '%2' is ").arg(flag, time);
    for (const char* flag : {"--restart-budget", "--replicas", "--max-local-batch-size"})
      for (const char* number : {"nan", "-1", "99999999999999999999"})
        QTest::addRow("%s %s", flag, number) << QStringList{"resume", "latest", flag, number} << flag;
    for (const char* number : {"nan", "-1", "99999999999999999999"}) {
      QTest::addRow("from %s", number) << QStringList{"plot", "latest", "--from", number} << "--from";
      QTest::addRow("limit %s", number) << QStringList{"ls", "--limit", number} << "--limit";
      QTest::addRow("lines %s", number) << QStringList{"tail", "latest", "-n", number} << "--lines";
      QTest::addRow("port %s", number) << QStringList{"tensorboard", "latest", "--port", number} << "--port";
    }
    row("endless trigger", {"run", "true", "--at", "elapsed=1e300:stop"}, "1e300");
    row("expecting nothing", {"run", "true", "--expect", "loss<nan"}, "NaN");
    row("rescale to words", {"rescale", "latest", "two"}, "N");
    row("device", {"run", "true", "--device", "tpu"}, "tpu");
    row("cores of a GPU", {"run", "true", "--device", "cuda", "--cores", "2"}, "--devices-per-replica 2");
    row("cores twice", {"run", "true", "--cores", "2", "--devices-per-replica", "2"}, "give one of them");
    row("no cores", {"submit", "true", "--cores", "0"}, "--cores");
    row("trigger", {"run", "true", "--at", "noon=1:stop"}, "batchscope: --at: trigger 'noon=1:stop'");
    row("expectation", {"run", "true", "--expect", "accuracy"}, "NAME OP VALUE");
    row("timeout", {"run", "true", "--timeout", "soon"}, "--timeout: 'soon' is not a duration");
    row("since", {"logs", "latest", "--since", "noon"}, "--since: 'noon' is not a duration");
    row("detach and expect", {"run", "true", "--detach", "--expect", "a>1"}, "--detach");
    row("no program", {"run"}, "no program");
    row("set without recipe", {"run", "true", "--set", "a=1"}, "--recipe");
    row("dashes elsewhere", {"ls", "--", "x"}, "does not take \"x\"");
    row("a flag behind dashes", {"show", "x", "--", "--json"}, "does not take \"--json\"");
    for (const char* flag : {"--name", "--checkpoint-every", "--group", "--report", "--hang-timeout"})
      QTest::addRow("empty %s", flag) << QStringList{"run", "true", flag, ""} << "its value is empty";
    row("empty after", {"submit", "true", "--after", ""}, "--after: its value is empty");
    row("empty turn", {"pool", "--turn", ""}, "--turn: its value is empty");
    row("empty devices", {"pool", "--devices", ""}, "--devices: its value is empty");
    row("empty output", {"plot", "latest", "-o", ""}, "--output: its value is empty");
    row("empty run", {"show", ""}, "RUN: its value is empty");
    row("nothing behind =", {"submit", "--after=", "true"}, "--after= has an empty value");
    row("command of a command", {"help", "show", "latest"}, "no help about \"latest\"");
    row("help topic", {"help", "exit-code"}, "did you mean exit-codes?");
  }
  void refusesMistypedCommandLines() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, complaint);
    const Answer answer = ask(arguments);
    QCOMPARE(answer.code, kExitUsage);
    QVERIFY2(answer.err.startsWith("batchscope: "), qPrintable(answer.err));
    VERIFY_HOLDS(answer.err, complaint);
    QCOMPARE(answer.out, QString());
    QVERIFY2(!QFile::exists(database()), "a mistyped command makes no store");
  }

  void repeatsLittleOfALongArgument() {
    const QString name(10'000, 'x');
    for (const QStringList& arguments : {QStringList{"show", name},
                                         {name},
                                         {"show", "--" + name},
                                         {"run", name},
                                         {"ls", "--where", name},
                                         {"run", "true", "--name", name},
                                         {"submit", "true", "--after", name}}) {
      const Answer answer = ask(arguments);
      QVERIFY(answer.code != kExitOk);
      QVERIFY2(answer.err.size() < 1000 && answer.err.contains("xxx"), qPrintable(answer.err));
    }
    VERIFY_HOLDS(ask({"show", name}).err, "(10000 bytes)");
  }

  void listsNothingFirst() {
    QVERIFY(ask({"ls"}).out.contains("No runs yet"));
    QCOMPARE(runs().size(), 0);
  }

  void listsRuns() {
    makeRestartedRun("digits", protocol::RunState::finished);
    const QString id = QString::fromStdString(makeRestartedRun("baseline", protocol::RunState::stopped));
    const QStringList lines = ask({"ls"}).out.split('\n');
    QVERIFY2(lines[1].startsWith(id), qPrintable(lines[1]));
    for (const char* text : {"baseline", "stopped", "2/4", "97.12 %", "0.12", "just now"})
      QVERIFY2(lines[1].contains(text), qPrintable(lines[1]));
    const auto cells = [](const QString& line) { return line.split(' ', Qt::SkipEmptyParts); };
    const qsizetype restarts = cells(lines[0]).indexOf("RESTARTS");
    QCOMPARE(cells(lines[0]).value(restarts - 1), "REPLICAS");

    const QJsonArray runs = this->runs();
    QCOMPARE(runs.size(), 2);
    QCOMPARE(runs[0].toObject()["id"].toString(), id);
    QCOMPARE(runs[1].toObject()["state"].toString(), "finished");
  }

  void cutsNothingOffWithoutATerminal() {
    makeRestartedRun(std::string(120, 'n'), protocol::RunState::stopped);
    QVERIFY(ask({"ls"}).out.contains(QString(120, 'n')));
    QVERIFY(ask({"show", "latest"}).out.contains("Checkpoint 40 ms, Launch 20 ms"));
  }

  void keepsNamesOffTheTerminal() {
    makeRestartedRun("a\nb\x1b[31m", protocol::RunState::stopped);
    for (const QStringList& arguments : {QStringList{"stop", "latest"}, {"show", "latest"}, {"ls"}}) {
      const Answer answer = ask(arguments);
      QVERIFY2(!answer.out.contains('\x1b') && !answer.err.contains('\x1b'), qPrintable(arguments[0]));
      QVERIFY2((answer.out + answer.err).contains("a b [31m"), qPrintable(answer.out + answer.err));
    }
  }

  // A program or another store may have said anything of a run.
  void keepsAllThatOthersWroteOffTheTerminal() {
    const std::string nasty = "x\x1b[2J\u009b3Jy";
    const std::string id = makeRestartedRun(nasty, protocol::RunState::failed);
    storage::Catalogue catalogue = this->catalogue();
    catalogue.add_event(id, 0, 1, nasty, nasty);
    catalogue.put_hyperparameters(id, {{nasty, nasty}});
    catalogue.set_tags(id, {nasty});
    catalogue.set_note(id, nasty);
    catalogue.set_progress(id, 40, 1, 1, 1, {{nasty, 1}});
    storage::Generation generation;
    generation.number = 7;
    generation.reason = generation.outcome = generation.checkpoint = nasty;
    generation.pause = 1;
    generation.pause_parts = {{nasty, 1}};
    catalogue.put_generation(id, generation);
    catalogue.put_checkpoint(id, {nasty, 7, 40, 1, 1, 1, 1, 1, nasty});
    const QString run = QString::fromStdString(id);
    for (const QStringList& arguments : {QStringList{"show", run},
                                         {"ls", "--columns", "id,name,tags,note"},
                                         {"diff", run, run, "--all"},
                                         {"tag", run},
                                         {"attach", run},
                                         {"sql", "SELECT * FROM event"},
                                         {"plot", run, "loss"},
                                         {"tail", run, "loss"},
                                         {"resume", run, "--detach"}}) {
      const Answer answer = ask(arguments);
      const QString said = answer.out + answer.err;
      QVERIFY2(!said.contains('\x1b') && !said.contains(QChar(0x9b)), qPrintable(arguments[0] + ": " + said));
    }
  }

  void namesRunsByPrefix() {
    makeRestartedRun("digits", protocol::RunState::finished);
    QCOMPARE(ask({"show", "dig"}).code, kExitOk);
    makeRestartedRun("digest", protocol::RunState::finished);
    const Answer ambiguous = ask({"show", "dig", "--json"});
    QCOMPARE(ambiguous.code, kExitUsage);
    QCOMPARE(ambiguous.json()["error"].toObject()["kind"].toString(), "usage");
    QVERIFY(ambiguous.err.contains("digits") && ambiguous.err.contains("digest"));
  }

  void tellsUnknownRunsApart() {
    makeRestartedRun("digits", protocol::RunState::finished);
    for (const QStringList& command : {QStringList{"show", "nosuch"},
                                       {"rescale", "nosuch", "2"},
                                       {"checkpoint", "nosuch"},
                                       {"pause", "nosuch"},
                                       {"resume", "nosuch"},
                                       {"stop", "nosuch"},
                                       {"attach", "nosuch"},
                                       {"logs", "nosuch"},
                                       {"rm", "--yes", "nosuch"}}) {
      const Answer answer = ask(command + QStringList{"--json"});
      QVERIFY2(answer.code == kExitNotFound, qPrintable(command.join(' ') + ": " + answer.err));
      QCOMPARE(answer.json()["error"].toObject()["kind"].toString(), "not_found");
      QVERIFY(answer.err.contains("nosuch"));
    }
  }

  void refusesToControlWhatIsOver() {
    makeRestartedRun("digits", protocol::RunState::finished);
    for (const QStringList& command : {QStringList{"rescale", "latest", "2"},
                                       {"checkpoint", "latest"},
                                       {"pause", "latest"},
                                       {"resume", "latest"},
                                       {"stop", "latest"},
                                       {"attach", "latest"}}) {
      const Answer answer = ask(command);
      QVERIFY2(answer.code == kExitConflict, qPrintable(command.join(' ') + ": " + answer.err));
      VERIFY_HOLDS(answer.err, "finished");
    }
  }

  void refusesUnknownPrograms() {
    const Answer name = ask({"run", "no-such-program"});
    QCOMPARE(name.code, kExitNotFound);
    QVERIFY(name.err.contains("no-such-program"));
    const Answer path = ask({"run", "./no-such-program"});
    QCOMPARE(path.code, kExitNotFound);
    for (const QString& folder : {sandbox_->path("."), sandbox_->path("") + "/", QString(".")}) {
      VERIFY_REFUSED(kExitNotFound, "holds no recipe.toml", ask({"run", folder}));
    }
    QCOMPARE(ask({"run", "--recipe", "no-such-recipe"}).code, kExitNotFound);
  }

  void printsLogs() {
    const QString id = QString::fromStdString(makeRestartedRun("digits", protocol::RunState::finished));
    QCOMPARE(ask({"logs", id}).code, kExitNotFound);

    const QDir logs(sandbox_->path("runs/" + id + "/logs"));
    QVERIFY(logs.mkpath("."));
    const auto write = [&](const QString& name, const QByteArray& text) {
      QFile file(logs.filePath(name));
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(text);
    };
    write("g0-r0.log", "old\n");
    write("g1-r0.log", "first\nsecond");
    write("g1-r1.log", "other\n");

    QCOMPARE(ask({"logs", id}).out, "g1 r0 | first\ng1 r1 | other\ng1 r0 | second\n");
    QCOMPARE(ask({"logs", id, "--replica", "0"}).out, "first\nsecond\n");
    VERIFY_REFUSED(kExitNotFound, "it has generation 1: replicas 0 to 1; generation 0: replica 0",
                   ask({"logs", id, "--replica", "7"}));
    QCOMPARE(ask({"logs", id, "--generation", "0"}).out, "g0 r0 | old\n");
    QCOMPARE(ask({"logs", "-f", id, "--replica", "1"}).out, "other\n");

    const auto noted = [](double ago, std::int64_t size) {
      const double time = storage::now() - ago;
      return QByteArray(reinterpret_cast<const char*>(&time), sizeof time) +
             QByteArray(reinterpret_cast<const char*>(&size), sizeof size);
    };
    write("g1-r0.log.times", noted(1000, 6) + noted(10, 12));
    QCOMPARE(ask({"logs", id, "--replica", "0", "--since", "5m"}).out, "second\n");
    QCOMPARE(ask({"logs", id, "--replica", "0", "--since", "1h"}).out, "first\nsecond\n");
    QCOMPARE(ask({"logs", id, "--since", "yesterday"}).code, kExitUsage);

    const QJsonObject line = ask({"logs", id, "--replica", "1", "--json"}).json();
    QCOMPARE(line["line"].toString(), "other");
    QCOMPARE(line["generation"].toInt(), 1);
  }

  void refusesANewerStore() {
    makeRestartedRun("digits", protocol::RunState::finished);
    QFile file(database());
    QVERIFY(file.open(QIODevice::ReadWrite));
    file.seek(60);  // user_version, big-endian
    file.write(QByteArray::fromHex("00000fff"));
    file.close();
    const Answer answer = ask({"ls", "--json"});
    QCOMPARE(answer.code, kExitCorrupt);
    QCOMPARE(answer.json()["error"].toObject()["kind"].toString(), "version");
  }

  void doctorAnswersInJson() {
    makeRestartedRun("digits", protocol::RunState::finished);
    const Answer answer = ask({"doctor", "--json"});
    const QJsonObject json = answer.json();
    QCOMPARE(answer.code, json["ok"].toBool() ? kExitOk : kExitFailure);
    QStringList subjects;
    for (const auto& finding : json["findings"].toArray())
      subjects << finding.toObject()["subject"].toString();
    for (const char* subject :
         {"cores", "memory", "GPUs", "LibTorch", "store", "sockets", "disk", "/dev/shm"})
      QVERIFY2(subjects.contains(subject), subject);
  }

  void tellsWhoHoldsWhat() {
    const std::string older = makeRestartedRun("digits", protocol::RunState::running);
    const std::string newer = makeRestartedRun("cifar", protocol::RunState::running);
    storage::Catalogue catalogue = this->catalogue();
    using Devices = std::vector<std::string>;
    catalogue.lease_devices(older, [](const auto&, const auto&) {
      return Devices{"cuda:6", "cuda:7", "cpu:0"};
    });
    catalogue.lease_devices(newer, [](const auto&, const auto&) { return Devices{"cpu:0"}; });
    QVERIFY(ask({"ls"}).out.contains("cpu:0, cuda:6-7"));
    const auto run = runs()[1].toObject();
    QCOMPARE(run["devices"].toArray(), (QJsonArray{"cpu:0", "cuda:6", "cuda:7"}));
    QVERIFY(ask({"show", "digits"}).out.contains(QRegularExpression("devices +cpu:0, cuda:6-7")));
    const QString doctor = ask({"doctor"}).out;
    for (const std::string& text :
         {"cpu:0, cuda:6-7 held by digits (" + older + "); other runs also hold cpu:0",
          "batchscope pause " + older, "cpu:0 held by cifar (" + newer + ")"})
      QVERIFY2(doctor.contains(QString::fromStdString(text)), qPrintable(doctor));
  }

  // Somebody who finds batchscope-serve on the disk calls it without the command.
  void isACommandByItsOwnProgram() {
    VERIFY_HOLDS(askProgram("batchscope-simulate", {"--help"}).out,
                 "Usage: batchscope simulate [OPTIONS] [WORKLOAD]");
    VERIFY_HOLDS(askProgram("batchscope-serve", {"tokens", "--help"}).out, "Usage: batchscope serve tokens");
    VERIFY_HOLDS(askProgram("batchscope-serve", {"--prot", "1"}).err, "batchscope serve has no flag --prot");
    VERIFY_HOLDS(askProgram("batchscope-serve", {"--version"}).out, "batchscope ");
  }

  // `batchscope sweep run` starts it, which people need not.
  void theDriverOfASweepSaysWhatItIs() {
    const QString text = "batchscope-sweep begins the trials of `batchscope sweep run`";
    const Answer help = askProgram("batchscope-sweep", {"--help"});
    VERIFY_CODE(kExitOk, help);
    VERIFY_HOLDS(help.out, text);
    const Answer wrong = askProgram("batchscope-sweep", {"run"});
    VERIFY_CODE(kExitUsage, wrong);
    VERIFY_HOLDS(wrong.err, text);
    QVERIFY(help.err.isEmpty() && wrong.out.isEmpty());
  }

  // serve and simulate are programs of their own, beside this one or in $BATCHSCOPE_BIN.
  void becomesTheProgramOfACommand() {
    for (const QStringList& words : {QStringList{"help", "simulate"}, {"simulate", "--help"}})
      VERIFY_HOLDS(ask(words).out, "Usage: batchscope simulate [OPTIONS] [WORKLOAD]");
    VERIFY_HOLDS(ask({"__complete", "serve", "--po"}).out, "--port\t");
    const Answer wrong = ask({"serve", "--prot", "1"});
    VERIFY_CODE(kExitUsage, wrong);
    VERIFY_HOLDS(wrong.err, "batchscope serve has no flag --prot; did you mean --port?");
    const Answer missing = sandbox_->ask({"simulate"}, {{"BATCHSCOPE_BIN", sandbox_->path("empty")}});
    VERIFY_CODE(kExitNotFound, missing);
    VERIFY_HOLDS(missing.err, "empty/batchscope-simulate is missing: build it (./dev build)");
  }

 private:
  QString database() const { return sandbox_->database(); }

  Answer askProgram(const QString& name, const QStringList& words) {
    const auto process = sandbox_->prepare(words);
    process->setProgram(qEnvironmentVariable("BATCHSCOPE_BIN") + "/" + name);
    return Sandbox::run(*process);
  }
};

BATCHSCOPE_TEST(TestCommands)
#include "test_commands.moc"
