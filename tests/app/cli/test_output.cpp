// SPDX-License-Identifier: Apache-2.0
//
// Where what commands make goes: standard output, of which nothing is lost in silence, and files, of which
// none is taken for another's place.
#include <sys/stat.h>

#include "command_test.h"
#include "rows.h"

using namespace batchscope;
using namespace batchscope::cli;

namespace {

// One command line for each way in which a command answers. Those that need a run that goes on are in
// test_run.cpp; tensorboard becomes another program.
const QList<QStringList> kAnswers{
    {},
    {"--help"},
    {"--version"},
    {"help"},
    {"help", "exit-codes"},
    {"help", "run"},
    {"ls", "--help"},
    {"__complete", "plo"},
    {"completion", "bash"},
    {"completion", "zsh"},
    {"ls"},
    {"ls", "--json"},
    {"ls", "--trash"},
    {"show", "latest"},
    {"show", "latest", "--json"},
    {"show", "latest", "--predictions"},
    {"diff", "first", "second"},
    {"diff", "first", "second", "--json"},
    {"plot", "latest"},
    {"plot", "latest", "--json"},
    {"plot", "latest", "--list"},
    {"plot", "latest", "--list", "--json"},
    {"plot", "latest", "-o", "-"},
    {"plot", "latest", "-o", "loss.svg"},
    {"tail", "latest", "--once"},
    {"tail", "latest", "--once", "--json"},
    {"serve", "--help"},
    {"serve", "tokens"},
    {"serve", "tokens", "--add", "anna:control"},
    {"serve", "tokens", "--json"},
    {"serve", "link", "latest"},
    {"serve", "link", "latest", "--json"},
    {"sql", "SELECT id FROM run"},
    {"sql", "SELECT id FROM run", "--csv"},
    {"sql", "SELECT id FROM run", "--json"},
    {"logs", "latest"},
    {"logs", "latest", "--json"},
    {"tag", "latest", "+paper"},
    {"note", "latest", "words"},
    {"rename", "latest", "other"},
    {"rm", "latest"},
    {"rm", "latest", "--purge", "--yes", "--json"},
    {"restore", "removed"},
    {"export", "latest"},
    {"export", "latest", "--format", "csv", "-o", "-"},
    {"export", "latest", "--format", "json", "-o", "-"},
    {"export", "latest", "--format", "jsonl", "-o", "/dev/stdout"},
    {"import", "exported.jsonl"},
    {"follow", "recorded", "--once"},
    {"follow", "recorded", "--once", "--json"},
    {"cp", "latest:logs/g1-r0.log", "copy"},
    {"cp", "latest:logs/g1-r0.log", "-"},
    {"gc"},
    {"gc", "--days", "0", "--yes"},
    {"gc", "--days", "0", "--dry-run", "--json"},
    {"adopt"},
    {"adopt", "--json"},
    {"compact"},
    {"backup", "copy"},
    {"doctor", "--store"},
    {"doctor", "--store", "--json"},
    {"submit", "true", "--hold"},
    {"queue"},
    {"queue", "--all", "--json"},
    {"hold", "waiting"},
    {"priority", "waiting", "2"},
    {"cancel", "waiting", "--json"},
    {"pool"},
    {"pool", "--decisions", "--json"},
    {"sweep", "new", "--example"},
    {"sweep", "status"},
    {"sweep", "status", "--json"},
    {"simulate", SIMULATION_FOLDER "/workload.csv", "--profiles", SIMULATION_FOLDER "/profiles"},
    {"simulate", SIMULATION_FOLDER "/workload.csv", "--profiles", SIMULATION_FOLDER "/profiles", "--json"},
};

}  // namespace

class TestOutput : public CommandTest {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    newSandbox();
    const std::string removed = makeRun({.name = "removed"}).toStdString();
    makeRun({.name = "first", .steps = 20});
    id_ = makeRun({.name = "second", .steps = 200});
    catalogue().move_to_trash(removed);
    write(inRun("logs/g1-r0.log"), "words\n");
    write(inRun("share/model.pt"), "weights");
  }

  void everyCommandIsInTheTable() {
    QSet<QString> known{"run",   "rescale", "checkpoint", "pause",  "resume",      "fork",
                        "noise", "branch",  "stop",       "attach", "tensorboard", "release"};
    for (const QStringList& arguments : kAnswers)
      if (!arguments.isEmpty()) known << arguments[0];
    const QStringList commands = ask({"__complete", ""}).out.split('\n', Qt::SkipEmptyParts);
    QVERIFY(commands.size() > 25);
    for (const QString& line : commands) QVERIFY2(known.contains(line.split('\t')[0]), qPrintable(line));
  }

  void aFullDiskIsTold_data() {
    QTest::addColumn<QStringList>("arguments");
    for (const QStringList& arguments : kAnswers)
      QTest::addRow("batchscope %s", qPrintable(arguments.join(' '))) << arguments;
  }

  void aFullDiskIsTold() {
    QFETCH(QStringList, arguments);
    if (arguments.contains("exported.jsonl"))
      QCOMPARE(ask({"export", "latest", "-o", "exported.jsonl"}).code, kExitOk);
    if (arguments.contains("waiting"))
      QCOMPARE(ask({"submit", "true", "--name", "waiting", "--hold"}).code, kExitOk);
    if (arguments.contains("recorded")) {
      arguments.replace(arguments.indexOf("recorded"), sandbox_->path(id_));
      QVERIFY(QDir().mkpath(sandbox_->path(id_)));
      QCOMPARE(ask({"export", id_, "--follow", "-o", sandbox_->path(id_ + "/record.jsonl")}).code, kExitOk);
      QCOMPARE(ask({"rm", id_, "--purge", "--yes"}).code, kExitOk);
    }
    const auto process = sandbox_->prepare(arguments);
    process->setStandardOutputFile("/dev/full");
    process->start();
    const Answer answer = Sandbox::finish(*process);
    QVERIFY2(answer.err.endsWith("batchscope: cannot write to standard output: No space left on device\n"),
             qPrintable(answer.err));
    QCOMPARE(answer.code, kExitFailure);
  }

  // Whether the disk is full is found out while it goes on; it would have no end.
  void whatHasNoEndEndsOnAFullDisk_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("ls") << QStringList{"ls", "--watch"};
    QTest::newRow("tail") << QStringList{"tail", "latest"};
    QTest::newRow("logs") << QStringList{"logs", "-f", "latest"};
  }

  void whatHasNoEndEndsOnAFullDisk() {
    QFETCH(QStringList, arguments);
    storage::Catalogue catalogue = this->catalogue();
    catalogue.set_state(id_.toStdString(), protocol::RunState::running);
    QVERIFY(catalogue.claim_supervisor(id_.toStdString()));
    const auto process = sandbox_->prepare(arguments);
    process->setStandardOutputFile("/dev/full");
    process->start();
    VERIFY_REFUSED(kExitFailure, "No space left on device", Sandbox::finish(*process));
  }

  // The program ends as any whose reader has had enough; also where SIGPIPE is ignored, as below some
  // daemons.
  void aReaderThatHasGoneIsNoError_data() {
    QTest::addColumn<QString>("before");
    QTest::newRow("usual") << "";
    QTest::newRow("ignored") << "trap '' PIPE; ";
  }

  void aReaderThatHasGoneIsNoError() {
    QFETCH(QString, before);
    for (const char* command :
         {"export long --format csv -o -", "sql --run long --csv 'SELECT * FROM sample'",
          "sql --run long --json 'SELECT * FROM sample'", "tail long --once -n 20000 --json"}) {
      if (sandbox_->ask({"show", "long"}).code != kExitOk) makeRun({.name = "long", .steps = 20'000});
      const Answer answer =
          shell(before + "batchscope " + command + " | head -n 1 > head; echo ${PIPESTATUS[0]}");
      QCOMPARE(answer.err, QString());
      QVERIFY2(answer.out == "141\n", qPrintable(command + (": " + answer.out)));
    }
  }

  // Output to it must not land in a file that got its number.
  void aClosedStandardOutputIsNobodyElses() {
    VERIFY_REFUSED(kExitFailure, "cannot write to standard output: Bad file descriptor",
                   shell("batchscope export second --format csv -o file >&-"));
    QVERIFY(contents("file").startsWith("series,") && !contents("file").contains("wrote"));
    QCOMPARE(shell("batchscope ls <&- 2>&- | head -n 1").out.left(2), QStringLiteral("ID"));
  }

  void standardOutputHasManyNames() {
    const QByteArray expected = ask({"export", id_, "--format", "csv", "-o", "-"}).out.toUtf8();
    QVERIFY(expected.startsWith("series,"));
    for (const char* name : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
      const QString command = QString("batchscope export %1 --format csv -o %2").arg(id_, name);
      QCOMPARE(shell(command + " | cat").out.toUtf8(), expected);
      // A file that the shell has opened keeps its place, and what stood in it.
      const Answer answer = shell("echo head > file; " + command + " >> file");
      QVERIFY2(answer.code == 0, qPrintable(answer.err));
      QCOMPARE(contents("file"), "head\n" + expected);
    }
    QVERIFY(ask({"plot", id_, "-o", "-"}).out.startsWith("<svg"));
    QCOMPARE(ask({"cp", id_ + ":share/model.pt", "-"}).out, QStringLiteral("weights"));
    for (const QStringList& arguments :
         {QStringList{"export", id_, "--format", "sqlite", "-o", "/dev/stdout"},
          {"backup", "-"},
          {"cp", id_ + ":share", "-"}}) {
      VERIFY_REFUSED(kExitUsage, "cannot be written to standard output", ask(arguments));
    }
  }

  void aPipeIsWrittenAndStaysAPipe_data() {
    const auto row = testing::columns<QString, QByteArray>({"command", "start"});
    row("export", "export second --format csv -o pipe", "series,");
    row("plot", "plot second -o pipe", "<svg");
    row("cp", "cp second:share/model.pt pipe", "weights");
    row("a link to it", "export second --format csv -o link", "series,");
  }

  void aPipeIsWrittenAndStaysAPipe() {
    QFETCH(QString, command);
    QFETCH(QByteArray, start);
    QCOMPARE(mkfifo(qPrintable(sandbox_->path("pipe")), 0600), 0);
    QVERIFY(QFile::link("pipe", sandbox_->path("link")));
    const Answer answer =
        shell("timeout 60 cat pipe > got & batchscope " + command + "; code=$?; wait; exit $code");
    QVERIFY2(answer.code == 0, qPrintable(answer.err));
    QVERIFY2(contents("got").startsWith(start), contents("got"));
    struct stat info {};
    QCOMPARE(lstat(qPrintable(sandbox_->path("pipe")), &info), 0);
    QVERIFY(S_ISFIFO(info.st_mode));
  }

  void aPipeOfTheShellIsWritten() {
    const Answer answer = shell(
        "batchscope export second --format csv -o >(cat > got); sleep 0.1; wait; "
        "while [ ! -s got ]; do sleep 0.05; done");
    QVERIFY2(answer.code == 0, qPrintable(answer.err));
    QVERIFY(contents("got").startsWith("series,"));
  }

  void aDeviceIsWrittenAndStaysADevice() {
    const Answer full = ask({"export", id_, "-o", "/dev/full"});
    QCOMPARE(full.code, kExitFailure);
    VERIFY_HOLDS(full.err, "cannot write /dev/full: No space left on device");
    const Answer null = ask({"export", id_, "--format", "csv", "-o", "/dev/null"});
    QVERIFY2(null.code == kExitOk, qPrintable(null.err));
    QCOMPARE(ask({"plot", id_, "-o", "/dev/null"}).code, kExitOk);
    for (const char* device : {"/dev/null", "/dev/full"}) {
      struct stat info {};
      QCOMPARE(lstat(device, &info), 0);
      QVERIFY(S_ISCHR(info.st_mode));
    }
  }

  void linksAreFollowed() {
    QVERIFY(QDir().mkpath(sandbox_->path("away")));
    for (const char* format : {"csv", "sqlite"}) {
      const QString link = sandbox_->path(QString("link.") + format),
                    file = sandbox_->path(QString("away/file.") + format);
      QVERIFY(QFile::link(file, link));
      const QStringList command{"export", id_, "--format", format, "-o", link};
      QCOMPARE(ask(command).code, kExitOk);
      QVERIFY(QFileInfo(link).isSymLink() && QFileInfo(file).size() > 100);
      QCOMPARE(ask(command).code, kExitConflict);
      QCOMPARE(ask(command + QStringList{"--force"}).code, kExitOk);
      QVERIFY(QFileInfo(link).isSymLink());
    }
  }

  void aPictureIsNotOverwrittenUnasked() {
    write("loss.svg", "older");
    VERIFY_REFUSED(kExitConflict, "--force", ask({"plot", id_, "-o", "loss.svg"}));
    QCOMPARE(contents("loss.svg"), QByteArray("older"));
    QCOMPARE(ask({"plot", id_, "-o", "loss.svg", "--force"}).code, kExitOk);
    QVERIFY(contents("loss.svg").startsWith("<svg"));
  }

  void nothingOfTheStoreIsATarget_data() {
    QTest::addColumn<QStringList>("arguments");
    const auto row = [](const char* name, const QStringList& arguments) { QTest::newRow(name) << arguments; };
    row("the catalogue", {"export", "second", "--format", "sqlite", "-o", "runs.db", "--force"});
    row("the catalogue as text", {"export", "second", "--format", "csv", "-o", "./runs.db", "--force"});
    row("its log", {"export", "second", "-o", "runs.db-wal", "--force"});
    row("by a detour", {"export", "second", "-o", "runs/../runs.db", "--force"});
    row("by a link", {"export", "second", "-o", "link", "--force"});
    row("by a link to a folder", {"export", "second", "-o", "folder/samples.db", "--force"});
    row("samples", {"export", "second", "--format", "sqlite", "-o", "RUN/samples.db", "--force"});
    row("a run's folder",
        {"export", "second", "--format", "tensorboard", "-o", "RUN/tensorboard", "--force"});
    row("a picture", {"plot", "second", "-o", "RUN/loss.svg"});
    row("a backup", {"backup", "runs/copy"});
    row("cp to the catalogue", {"cp", "second:share/model.pt", "runs.db", "--force"});
    row("cp into what is copied", {"cp", "second:logs", "RUN/logs"});
    row("cp into another folder of the run", {"cp", "second:logs", "RUN/logs/deeper/still"});
    row("cp of all", {"cp", "second:", "RUN"});
    row("a report", {"run", "true", "--report", "RUN/report.json"});
    row("a socket", {"export", "second", "-o", "batchscope/RUN/control.sock", "--force"});
  }

  void nothingOfTheStoreIsATarget() {
    QFETCH(QStringList, arguments);
    for (QString& argument : arguments)
      argument.replace("batchscope/RUN", "batchscope/" + id_).replace("RUN", "runs/" + id_);
    QVERIFY(QFile::link("runs.db", sandbox_->path("link")));
    QVERIFY(QFile::link("runs/" + id_, sandbox_->path("folder")));
    const auto picture = [&] {
      const QFileInfo samples(inRun("samples.db"));
      return QString("%1 %2 %3")
          .arg(samples.size())
          .arg(samples.lastModified().toMSecsSinceEpoch())
          .arg(QDir(sandbox_->path("runs")).entryList().join(' ') + QDir(inRun("")).entryList().join(' ') +
               QDir(inRun("logs")).entryList().join(' '));
    };
    const QString before = picture();
    const Answer answer = ask(arguments);
    QVERIFY2(answer.code == kExitConflict, qPrintable(answer.out + answer.err));
    VERIFY_HOLDS(answer.err, "belongs to the run store");
    QCOMPARE(picture(), before);
    QCOMPARE(runs().size(), 2);
  }

  void whatCannotBeWrittenIsSaidBefore() {
    const Answer answer = ask({"run", "true", "--report", "no/such/report.json"});
    QCOMPARE(answer.code, kExitFailure);
    QVERIFY2(answer.err.contains("cannot write no/such/report.json: there is no folder " +
                                 sandbox_->path("no/such")),
             qPrintable(answer.err));
    QVERIFY(QDir().mkpath(sandbox_->path("folder")));
    QCOMPARE(ask({"run", "true", "--report", "folder"}).code, kExitConflict);
    QCOMPARE(runs().size(), 2);
  }
};

BATCHSCOPE_TEST(TestOutput)
#include "test_output.moc"
