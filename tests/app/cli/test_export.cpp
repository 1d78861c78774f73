// SPDX-License-Identifier: Apache-2.0
//
// export and import: each format, the way there and back, and files that are not to be trusted.
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include <QDir>
#include <bit>
#include <cmath>

#include "batchscope/protocol/error.h"
#include "run_store.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::cli;

namespace {

constexpr int kSteps = 3000;

QByteArray contents(const QString& file) {
  QFile in(file);
  return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
}

}  // namespace

class TestExport : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    sandbox_ = std::make_unique<Sandbox>();
    id_ = QString::fromStdString(RunMaker{.name = "di/gits",
                                          .tags = {"paper"},
                                          .group = "ablation",
                                          .hyperparameters = {{"lr", "0.1"}},
                                          .steps = kSteps}(*sandbox_));
    storage::Catalogue catalogue(sandbox_->database().toStdString());
    catalogue.add_event(id_.toStdString(), 1, 7, "warning", "an \"event\"");
    catalogue.set_note(id_.toStdString(), "two\nlines");
  }

  void writesCsv() {
    const Answer answer = ask({"export", id_, "--format", "csv"});
    QCOMPARE(answer.code, int(kExitOk));
    QVERIFY2(answer.out.contains("3003 samples"), qPrintable(answer.out));
    const QList<QByteArray> lines = contents(sandbox_->path("di-gits-" + id_ + ".csv")).split('\n');
    QCOMPARE(lines.size(), 1 + kSteps + 3 + 1);
    QCOMPARE(lines[0], "series,generation,step,value");
    QCOMPARE(lines[1], "loss,0,1,2");
    QVERIFY(lines.contains("strange,1,1,nan") && lines.contains("strange,1,2,-inf"));
  }

  void writesToStandardOutput() {
    const Answer answer = ask({"export", id_, "--format", "csv", "--series", "strange", "-o", "-"});
    QCOMPARE(answer.out,
             "series,generation,step,value\nstrange,1,1,nan\nstrange,1,2,-inf\nstrange,1,4,0.1\n");
    QCOMPARE(ask({"export", id_, "--format", "sqlite", "-o", "-"}).code, int(kExitUsage));
    const Answer typo = ask({"export", id_, "--series", "los", "-o", "-"});
    QCOMPARE(typo.code, int(kExitNotFound));
    QVERIFY(typo.err.contains("did you mean loss?"));
  }

  void writesJson() {
    QCOMPARE(ask({"export", id_, "--format", "json", "-o", "a.json"}).code, int(kExitOk));
    const QJsonObject json = QJsonDocument::fromJson(contents(sandbox_->path("a.json"))).object();
    QCOMPARE(json["run"].toObject()["name"].toString(), "di/gits");
    int samples = 0;
    for (const QJsonValue& block : json["samples"].toArray())
      samples += block.toObject()["values"].toArray().size();
    QCOMPARE(samples, kSteps + 3);
  }

  void writesEventFiles() {
    QCOMPARE(ask({"export", id_, "--format", "tensorboard", "-o", "events"}).code, int(kExitOk));
    const QStringList files = QDir(sandbox_->path("events")).entryList(QDir::Files);
    QCOMPARE(files.size(), 1);
    QVERIFY(files[0].startsWith("events.out.tfevents"));
    const QByteArray bytes = contents(sandbox_->path("events/" + files[0]));
    QCOMPARE(bytes.count("strange"), 3);
    QCOMPARE(ask({"export", id_, "--format", "tensorboard", "-o", "events"}).code, int(kExitConflict));
    QCOMPARE(ask({"export", id_, "--format", "tensorboard", "-o", "events", "--force"}).code, int(kExitOk));
    QVERIFY(QDir().mkpath(sandbox_->path("mine/of")));
    QCOMPARE(ask({"export", id_, "--format", "tensorboard", "-o", "mine", "--force"}).code,
             int(kExitConflict));
    QVERIFY(QFile::exists(sandbox_->path("mine/of")));
  }

  void overwritesOnlyWhenMeant() {
    for (const char* format : {"csv", "json", "jsonl", "sqlite"}) {
      const QString file = QString("a.") + format;
      QCOMPARE(ask({"export", id_, "--format", format, "-o", file}).code, int(kExitOk));
      const QByteArray before = contents(sandbox_->path(file));
      const Answer again = ask({"export", id_, "--format", format, "-o", file});
      QCOMPARE(again.code, int(kExitConflict));
      QVERIFY(again.err.contains("--force"));
      QCOMPARE(contents(sandbox_->path(file)), before);
      QCOMPARE(ask({"export", id_, "--format", format, "-o", file, "--force"}).code, int(kExitOk));
    }
    QCOMPARE(QDir(sandbox_->path(".")).entryList({"*partial*"}).size(), 0);
  }

  void anInterruptedExportLeavesNothing_data() {
    QTest::addColumn<QString>("format");
    for (const char* format : {"sqlite", "tensorboard"}) QTest::newRow(format) << QString(format);
  }

  // Ctrl-C as soon as something of it is there (of csv and json nothing has a name before they are complete);
  // now and then the export is complete before.
  void anInterruptedExportLeavesNothing() {
    QFETCH(QString, format);
    const QString id = QString::fromStdString(RunMaker{.name = "long", .steps = 100'000}(*sandbox_));
    const QDir folder(sandbox_->path("."));
    bool interrupted = false;
    while (!interrupted) {
      const auto process = sandbox_->start({"export", id, "--format", format, "-o", "out", "--force"});
      QVERIFY(process->waitForStarted());
      while (folder.entryList({"out*"}).isEmpty() && !process->waitForFinished(1)) {
      }
      if (process->state() == QProcess::Running) ::kill(static_cast<pid_t>(process->processId()), SIGINT);
      QVERIFY(process->state() == QProcess::NotRunning || process->waitForFinished(Sandbox::kPatienceMs));
      const bool complete = folder.exists("out");
      QVERIFY(complete || (process->exitStatus() == QProcess::CrashExit && process->exitCode() == SIGINT));
      interrupted = !complete;
      QDir(sandbox_->path("out")).removeRecursively();
      QFile::remove(sandbox_->path("out"));
    }
    QCOMPARE(folder.entryList({"*out*"}, QDir::AllEntries | QDir::Hidden), QStringList());
  }

  void anExportThatFailsLeavesNothing_data() {
    QTest::addColumn<QString>("format");
    for (const char* format : {"csv", "json", "jsonl", "sqlite", "tensorboard"})
      QTest::newRow(format) << QString(format);
  }

  // Files cannot grow beyond 50 kB, as on a full disk.
  void anExportThatFailsLeavesNothing() {
    QFETCH(QString, format);
    const auto process = sandbox_->prepare({"export", id_, "--format", format, "-o", "out"});
    process->setChildProcessModifier([] {
      signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{50'000, 50'000};
      setrlimit(RLIMIT_FSIZE, &limit);
    });
    process->start();
    const Answer answer = Sandbox::finish(*process);
    QCOMPARE(answer.code, int(kExitFailure));
    QVERIFY2(answer.err.contains("out"), qPrintable(answer.err));
    QCOMPARE(QDir(sandbox_->path(".")).entryList({"*out*"}, QDir::AllEntries | QDir::Hidden), QStringList());
  }

  void comesBackInAnotherStore_data() {
    QTest::addColumn<QString>("format");
    QTest::newRow("jsonl") << "jsonl";
    QTest::newRow("sqlite") << "sqlite";
  }

  void comesBackInAnotherStore() {
    QFETCH(QString, format);
    QCOMPARE(ask({"export", id_, "--format", format, "-o", "run"}).code, int(kExitOk));
    const Sandbox other;
    const Answer answer = other.ask({"import", sandbox_->path("run"), "--json"});
    QVERIFY2(answer.code == kExitOk, qPrintable(answer.err));
    QCOMPARE(answer.json()["imported"].toString(), id_);
    QCOMPARE(answer.json()["samples"].toInt(), kSteps + 3);

    // What another export of each says is the same, but for the program, which is not to be started.
    QCOMPARE(other.ask({"export", id_, "--format", "jsonl", "-o", "again"}).code, int(kExitOk));
    QCOMPARE(ask({"export", id_, "--format", "jsonl", "-o", "before"}).code, int(kExitOk));
    QByteArray before = contents(sandbox_->path("before")), again = contents(other.path("again"));
    QVERIFY(again.contains("imported:/bin/true"));
    again.replace("imported:/bin/true", "/bin/true");
    static const QRegularExpression eventId("\"id\":\\d+,");  // a cursor of its store
    QCOMPARE(QString::fromUtf8(again).remove(eventId), QString::fromUtf8(before).remove(eventId));

    for (const char* series : {"loss", "strange"})
      for (const int generation : {0, 1}) {
        const auto a = samples(*sandbox_, series, generation), b = samples(other, series, generation);
        QCOMPARE(a.size(), b.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
          QCOMPARE(a[i].step, b[i].step);
          QCOMPARE(std::bit_cast<std::uint64_t>(a[i].value), std::bit_cast<std::uint64_t>(b[i].value));
        }
      }
    QCOMPARE(other.ask({"show", id_}).code, int(kExitOk));
  }

  // As the window's explorer has it: what was measured, and what the model says of it.
  void hasTheModelAndWhatWasMeasured() {
    addModel();
    const QJsonObject shown = ask({"show", id_, "--json"}).json()["goodput"].toObject();
    QCOMPARE(shown["parameters"].toObject()["beta_c"].toDouble(), 0.001);
    QCOMPARE(shown["bounds"].toObject()["max_batch_size"].toInt(), 1024);
    QVERIFY(shown["bounds"].toObject()["accumulation"].toBool());
    const QJsonArray times = shown["step_times"].toArray();
    QCOMPARE(times.size(), 1);
    QCOMPARE(times[0]["replicas"].toInt(), 2);
    QCOMPARE(times[0]["local_batch_size"].toInt(), 32);
    QCOMPARE(times[0]["steps"].toInt(), 99);  // the first one warms up
    QCOMPARE(times[0]["measured"].toDouble(), 0.046);
    QVERIFY(std::abs(times[0]["predicted"].toDouble() - 0.042) < 1e-6);
    QVERIFY(std::abs(shown["mean_error"].toDouble() - 4.0 / 42) < 1e-6);

    for (const char* format : {"json", "jsonl"}) {
      QCOMPARE(ask({"export", id_, "--format", format, "-o", "run", "--force"}).code, int(kExitOk));
      const QByteArray text = contents(sandbox_->path("run"));
      const QByteArray first = QByteArray(format) == "json" ? text : text.left(text.indexOf('\n'));
      QCOMPARE(QJsonDocument::fromJson(first).object()["goodput"].toObject(), shown);
    }
    const Sandbox other;
    QCOMPARE(other.ask({"import", sandbox_->path("run")}).code, int(kExitOk));
    QCOMPARE(other.ask({"show", id_, "--json"}).json()["goodput"].toObject(), shown);

    const std::string bare = RunMaker{.name = "bare", .steps = 4}(*sandbox_);
    QVERIFY(ask({"show", "bare", "--json"}).json()["goodput"].isNull());
    storage::Catalogue(sandbox_->database().toStdString()).put_model(bare, 1, {});
    QVERIFY(ask({"show", "bare", "--json"}).json()["goodput"].toObject()["parameters"].isNull());
  }

  void getsANewIdWhereItIsThere() {
    QCOMPARE(ask({"export", id_, "--format", "jsonl", "-o", "run"}).code, int(kExitOk));
    const Answer answer = ask({"import", "run", "--name", "copy"});
    QCOMPARE(answer.code, int(kExitOk));
    QVERIFY2(answer.out.contains("new id"), qPrintable(answer.out));
    QCOMPARE(ask({"ls", "--json"}).json()["runs"].toArray().size(), 2);
    QVERIFY(ask({"diff", id_, "copy"}).out.contains("Run"));
  }

  void anActiveRunIsImportedAsStopped() {
    const std::string busy =
        RunMaker{.name = "busy", .state = protocol::RunState::running, .steps = 10}(*sandbox_);
    storage::Catalogue catalogue(sandbox_->database().toStdString());
    QVERIFY(catalogue.claim_supervisor(busy));
    QCOMPARE(ask({"export", "busy", "-o", "run"}).code, int(kExitOk));
    const Sandbox other;
    QCOMPARE(other.ask({"import", sandbox_->path("run")}).code, int(kExitOk));
    QCOMPARE(other.ask({"ls", "--json"}).json()["runs"].toArray()[0].toObject()["state"].toString(),
             "stopped");
    const Answer resumed = other.ask({"resume", "latest", "--detach"});
    QCOMPARE(resumed.code, int(kExitConflict));  // nobody's program is started
    QVERIFY2(resumed.err.contains("imported"), qPrintable(resumed.err));
  }

  void refusesWhatIsDamaged_data() {
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::addColumn<int>("code");
    QTest::newRow("other format") << QByteArray("batchscope-run") << QByteArray("something")
                                  << int(kExitCorrupt);
    QTest::newRow("newer") << QByteArray("\"version\":1") << QByteArray("\"version\":2") << int(kExitCorrupt);
    QTest::newRow("id") << id("\"id\":\"") << id("\"id\":\"../") << int(kExitCorrupt);
    QTest::newRow("state") << QByteArray("\"finished\"") << QByteArray("\"flying\"") << int(kExitCorrupt);
    QTest::newRow("value") << QByteArray("\"nan\"") << QByteArray("\"many\"") << int(kExitCorrupt);
    QTest::newRow("step") << QByteArray("[1,2,3,") << QByteArray("[1,2.5,3,") << int(kExitCorrupt);
    QTest::newRow("large step") << QByteArray("[1,2,3,") << QByteArray("[1,18446744073709551615,3,")
                                << int(kExitCorrupt);
    QTest::newRow("count") << QByteArray("\"samples\":3003") << QByteArray("\"samples\":3004")
                           << int(kExitCorrupt);
    QTest::newRow("generation") << QByteArray("\"generation\":0,\"series\"")
                                << QByteArray("\"generation\":-1,\"series\"") << int(kExitCorrupt);
    QTest::newRow("cut off") << QByteArray("{\"end\":{\"samples\":3003}}\n") << QByteArray()
                             << int(kExitCorrupt);
    QTest::newRow("two ends") << QByteArray("{\"end\":{\"samples\":3003}}\n")
                              << QByteArray("{\"end\":{\"samples\":3003}}\n{}\n") << int(kExitCorrupt);
    QTest::newRow("no JSON") << QByteArray("{\"epochs\"") << QByteArray("{\"epochs") << int(kExitCorrupt);
    const auto add = [](const char* name, const char* from, const char* to) {
      QTest::newRow(name) << QByteArray(from) << QByteArray(to) << int(kExitCorrupt);
    };
    add("name of a word", "\"di/gits\"", "\"latest\"");
    add("name with a control", "\"di/gits\"", "\"a\\u001bb\"");
    add("name with another control", "\"di/gits\"", "\"a\\u009bb\"");
    add("no name", "\"di/gits\"", "\"\"");
    add("tag", "[\"paper\"]", "[\"paper\", \"a,b\"]");
    add("tag with a control", "[\"paper\"]", "[\"\\u009b2J\"]");
    add("group", "\"group\":\"ablation\"", "\"group\":\"a\\nb\"");
    add("no end of time", "\"ended\":null", "\"ended\":\"inf\"");
    add("time before all", "\"ended\":null", "\"ended\":-5");
    QTest::newRow("spec") << QByteArray("\"replicas\":1") << QByteArray("\"replicas\":\"x\"")
                          << int(kExitCorrupt);
  }

  void refusesWhatIsDamaged() {
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    QFETCH(int, code);
    QCOMPARE(ask({"export", id_, "-o", "run"}).code, int(kExitOk));
    QByteArray text = contents(sandbox_->path("run"));
    QVERIFY(text.contains(from));
    text.replace(from, to);
    const Sandbox other;
    QFile out(other.path("run"));
    QVERIFY(out.open(QIODevice::WriteOnly) && out.write(text) == text.size());
    out.close();
    const Answer answer = other.ask({"import", "run"});
    QVERIFY2(answer.code == code, qPrintable(answer.err));
    QVERIFY2(answer.err.contains("run"), qPrintable(answer.err));
    QVERIFY(other.ask({"ls"}).out.contains("No runs yet"));
    QCOMPARE(QDir(other.path("runs")).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size(), 0);
  }

  void namesTheFieldThatIsWrong() {
    QCOMPARE(ask({"export", id_, "-o", "run"}).code, int(kExitOk));
    const QByteArray text = contents(sandbox_->path("run"));
    const auto import = [&](const QRegularExpression& from, const QString& to, const QStringList& more = {}) {
      QFile out(sandbox_->path("changed"));
      if (!out.open(QIODevice::WriteOnly)) return Answer();
      out.write(QString::fromUtf8(text).replace(from, to).toUtf8());
      out.close();
      return Sandbox().ask(QStringList{"import", sandbox_->path("changed")} + more);
    };
    const QRegularExpression created("\"created\":[0-9.e+]+"), name("\"di/gits\"");
    for (const char* value : {"\"nan\"", "\"inf\"", "1e300", "-1"}) {
      const Answer answer = import(created, QString("\"created\":%1").arg(value));
      QCOMPARE(answer.code, int(kExitCorrupt));
      QVERIFY2(answer.err.contains("run.created"), qPrintable(answer.err));
    }
    const Answer latest = import(name, "\"latest\"");
    QVERIFY2(latest.err.contains("run.name") && latest.err.contains("--name"), qPrintable(latest.err));
    QCOMPARE(import(name, "\"latest\"", {"--name", "mine"}).code, int(kExitOk));
    QCOMPARE(import(name, "\"mine\"", {"--name", "latest"}).code, int(kExitUsage));
  }

  // What an old store holds and none would be recorded today.
  void seriesOfAnyNameComeBack() {
    const std::string plain(1024, 'n');
    {
      storage::SampleWriter writer(sandbox_->path("runs/" + id_ + "/samples.db").toStdString());
      for (const char* name : {"odd-1", "odd-2", "odd-3"}) writer.append(0, name, 1, 1.5);
      writer.append(0, plain, 1, 2.5);
    }
    sqlite3* connection = nullptr;
    QCOMPARE(sqlite3_open(qPrintable(sandbox_->path("runs/" + id_ + "/samples.db")), &connection), SQLITE_OK);
    QCOMPARE(sqlite3_exec(connection,
                          "UPDATE track SET series = '' WHERE series = 'odd-1';"
                          "UPDATE track SET series = printf('%.2000c', 'n') WHERE series = 'odd-2';"
                          "UPDATE track SET series = printf('%.3000c', 'n') WHERE series = 'odd-3'",
                          nullptr, nullptr, nullptr),
             SQLITE_OK);
    sqlite3_close(connection);
    for (const char* format : {"jsonl", "sqlite"}) {
      QCOMPARE(ask({"export", id_, "--format", format, "-o", "run", "--force"}).code, int(kExitOk));
      const Sandbox other;
      const Answer answer = other.ask({"import", sandbox_->path("run")});
      QVERIFY2(answer.code == kExitOk, qPrintable(answer.err));
      QVERIFY2(answer.err.contains("3 series"), qPrintable(answer.err));
      QCOMPARE(samples(other, "unnamed~1", 0).size(), 1u);
      QCOMPARE(samples(other, plain.c_str(), 0).front().value, 2.5);
      QCOMPARE(samples(other, (plain.substr(2) + "~2").c_str(), 0).front().value, 1.5);
      QCOMPARE(samples(other, (plain.substr(2) + "~3").c_str(), 0).front().value, 1.5);
    }
  }

  void refusesOtherFiles() {
    QCOMPARE(ask({"import", "nosuch"}).code, int(kExitNotFound));
    QCOMPARE(ask({"import", "."}).code, int(kExitUsage));
    QCOMPARE(ask({"import", sandbox_->database()}).code, int(kExitCorrupt));
    QCOMPARE(ask({"import", "/bin/true"}).code, int(kExitCorrupt));
  }

 private:
  Answer ask(const QStringList& arguments) const { return sandbox_->ask(arguments); }
  static QByteArray id(const char* text) { return text; }

  // Steps that take 46 ms where the model says 10 + 32 * 1 ms; more replicas cost nothing.
  void addModel() const {
    protocol::Model model;
    model.perf = {0.01, 0.001, 0, 0, 0, 0, 1};
    model.grad_sqr = 1;
    model.grad_var = 2;
    model.init_batch_size = 64;
    model.max_batch_size = 1024;
    model.accumulation = true;
    model.max_profiled_replicas = 2;
    model.step = kSteps;
    storage::Catalogue(sandbox_->database().toStdString()).put_model(id_.toStdString(), 1, model);
    storage::SampleWriter writer(sandbox_->path("runs/" + id_ + "/samples.db").toStdString());
    const std::vector<double> seconds(100, 0.046), sizes(100, 32), none(100, 0);
    writer.append(1, "step_time", kSteps / 2 + 1, seconds);
    writer.append(1, "local_batch_size", kSteps / 2 + 1, sizes);
    writer.append(1, "accumulation_steps", kSteps / 2 + 1, none);
  }

  std::vector<storage::Sample> samples(const Sandbox& sandbox, const char* series, int generation) const {
    return storage::SampleReader(sandbox.path("runs/" + id_ + "/samples.db").toStdString())
        .read(series, generation);
  }

  std::unique_ptr<Sandbox> sandbox_;
  QString id_;
};

BATCHSCOPE_TEST(TestExport)
#include "test_export.moc"
