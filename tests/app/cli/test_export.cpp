// SPDX-License-Identifier: Apache-2.0
//
// export and import: each format, the way there and back, and files that are not to be trusted.
#include <signal.h>
#include <sys/resource.h>

#include <bit>
#include <cmath>

#include "command_test.h"
#include "rows.h"
#include "store_test.h"

using namespace batchscope;
using namespace batchscope::cli;

namespace {

constexpr int kSteps = 3000;

}  // namespace

class TestExport : public CommandTest {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    newSandbox();
    id_ = makeRun({.name = "di/gits",
                   .tags = {"paper"},
                   .group = "ablation",
                   .hyperparameters = {{"lr", "0.1"}},
                   .steps = kSteps});
    storage::Catalogue catalogue = this->catalogue();
    catalogue.add_event(id_.toStdString(), 1, 7, "warning", "an \"event\"");
    catalogue.set_note(id_.toStdString(), "two\nlines");
  }

  void writesCsv() {
    const Answer answer = ask({"export", id_, "--format", "csv"});
    QCOMPARE(answer.code, kExitOk);
    VERIFY_HOLDS(answer.out, "3003 samples");
    const QList<QByteArray> lines = contents("di-gits-" + id_ + ".csv").split('\n');
    QCOMPARE(lines.size(), 1 + kSteps + 3 + 1);
    QCOMPARE(lines[0], "series,generation,step,value");
    QCOMPARE(lines[1], "loss,0,1,2");
    QVERIFY(lines.contains("strange,1,1,nan") && lines.contains("strange,1,2,-inf"));
  }

  void writesToStandardOutput() {
    const Answer answer = ask({"export", id_, "--format", "csv", "--series", "strange", "-o", "-"});
    QCOMPARE(answer.out,
             "series,generation,step,value\nstrange,1,1,nan\nstrange,1,2,-inf\nstrange,1,4,0.1\n");
    QCOMPARE(ask({"export", id_, "--format", "sqlite", "-o", "-"}).code, kExitUsage);
    VERIFY_REFUSED(kExitNotFound, "did you mean loss?", ask({"export", id_, "--series", "los", "-o", "-"}));
  }

  void writesJson() {
    QCOMPARE(ask({"export", id_, "--format", "json", "-o", "a.json"}).code, kExitOk);
    const QJsonObject json = QJsonDocument::fromJson(contents("a.json")).object();
    QCOMPARE(json["run"].toObject()["name"].toString(), "di/gits");
    int samples = 0;
    for (const QJsonValue& block : json["samples"].toArray())
      samples += block.toObject()["values"].toArray().size();
    QCOMPARE(samples, kSteps + 3);
  }

  // The page itself is another program's, and may not have been built here; what is in its file is tested
  // there (web.recording, page.recording).
  void writesThePage() {
    const Answer answer = ask({"export", id_, "--format", "html", "--json"});
    if (answer.code == kExitNotFound) {
      VERIFY_HOLDS(answer.err, "the page was not built", "./dev build");
      QCOMPARE(QDir(sandbox_->path(".")).entryList({"*html*"}, QDir::AllEntries | QDir::Hidden),
               QStringList());
      return;
    }
    QCOMPARE(answer.code, kExitOk);
    const QString file = "di-gits-" + id_ + ".html";
    QCOMPARE(answer.json()["written"].toString(), file);
    QCOMPARE(answer.json()["bytes"].toInt(), contents(file).size());
    QVERIFY(contents(file).startsWith("<!doctype html>"));
    QCOMPARE(ask({"export", id_, "--format", "html", "-o", "-"}).out.left(15), "<!doctype html>");
    VERIFY_REFUSED(kExitConflict, "--force", ask({"export", id_, "--format", "html"}));
    QCOMPARE(ask({"export", id_, "--format", "html", "--force"}).code, kExitOk);
    VERIFY_REFUSED(kExitNotFound, "nosuch", ask({"export", "nosuch", "--format", "html"}));
    VERIFY_REFUSED(kExitUsage, "--series", ask({"export", id_, "--format", "html", "--series", "loss"}));
  }

  void writesEventFiles() {
    QCOMPARE(ask({"export", id_, "--format", "tensorboard", "-o", "events"}).code, kExitOk);
    const QStringList files = QDir(sandbox_->path("events")).entryList(QDir::Files);
    QCOMPARE(files.size(), 1);
    QVERIFY(files[0].startsWith("events.out.tfevents"));
    const QByteArray bytes = contents(sandbox_->path("events/" + files[0]));
    QCOMPARE(bytes.count("strange"), 3);
    QCOMPARE(ask({"export", id_, "--format", "tensorboard", "-o", "events"}).code, kExitConflict);
    QCOMPARE(ask({"export", id_, "--format", "tensorboard", "-o", "events", "--force"}).code, kExitOk);
    QVERIFY(QDir().mkpath(sandbox_->path("mine/of")));
    QCOMPARE(ask({"export", id_, "--format", "tensorboard", "-o", "mine", "--force"}).code, kExitConflict);
    QVERIFY(QFile::exists(sandbox_->path("mine/of")));
  }

  void overwritesOnlyWhenMeant() {
    for (const char* format : {"csv", "json", "jsonl", "sqlite"}) {
      const QString file = QString("a.") + format;
      QCOMPARE(ask({"export", id_, "--format", format, "-o", file}).code, kExitOk);
      const QByteArray before = contents(file);
      VERIFY_REFUSED(kExitConflict, "--force", ask({"export", id_, "--format", format, "-o", file}));
      QCOMPARE(contents(file), before);
      QCOMPARE(ask({"export", id_, "--format", format, "-o", file, "--force"}).code, kExitOk);
    }
    QCOMPARE(QDir(sandbox_->path(".")).entryList({"*partial*"}).size(), 0);
  }

  void anInterruptedExportLeavesNothing_data() { testing::rows("format", {"sqlite", "tensorboard"}); }

  // Ctrl-C as soon as something of it is there (of csv and json nothing has a name before they are complete);
  // now and then the export is complete before.
  void anInterruptedExportLeavesNothing() {
    QFETCH(QString, format);
    const QString id = makeRun({.name = "long", .steps = 100'000});
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
    testing::rows("format", {"csv", "json", "jsonl", "sqlite", "tensorboard"});
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
    VERIFY_REFUSED(kExitFailure, "out", Sandbox::finish(*process));
    QCOMPARE(QDir(sandbox_->path(".")).entryList({"*out*"}, QDir::AllEntries | QDir::Hidden), QStringList());
  }

  void comesBackInAnotherStore_data() { testing::rows("format", {"jsonl", "sqlite"}); }

  void comesBackInAnotherStore() {
    QFETCH(QString, format);
    QCOMPARE(ask({"export", id_, "--format", format, "-o", "run"}).code, kExitOk);
    const Sandbox other;
    const Answer answer = other.ask({"import", sandbox_->path("run"), "--json"});
    QVERIFY2(answer.code == kExitOk, qPrintable(answer.err));
    QCOMPARE(answer.json()["imported"].toString(), id_);
    QCOMPARE(answer.json()["samples"].toInt(), kSteps + 3);

    // Another export of each says the same, but for the program, which is not to be started.
    QCOMPARE(other.ask({"export", id_, "--format", "jsonl", "-o", "again"}).code, kExitOk);
    QCOMPARE(ask({"export", id_, "--format", "jsonl", "-o", "before"}).code, kExitOk);
    QByteArray before = contents("before"), again = contents(other.path("again"));
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
    QCOMPARE(other.ask({"show", id_}).code, kExitOk);
  }

  // The export has what the window's explorer has: what was measured, and what the model says of it.
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
    const QJsonObject measured = shown["measured"].toObject();
    QCOMPARE(measured["steps"].toInt(), 99);
    QVERIFY(std::abs(measured["throughput"].toDouble() - 64 / 0.046) < 1e-6);
    QVERIFY(std::abs(measured["goodput"].toDouble() - 32 / 0.046) < 1e-6);
    QVERIFY(std::abs(shown["mean_error"].toDouble() - 4.0 / 42) < 1e-6);

    for (const char* format : {"json", "jsonl"}) {
      QCOMPARE(ask({"export", id_, "--format", format, "-o", "run", "--force"}).code, kExitOk);
      const QByteArray text = contents("run");
      const QByteArray first = QByteArray(format) == "json" ? text : text.left(text.indexOf('\n'));
      QCOMPARE(QJsonDocument::fromJson(first).object()["goodput"].toObject(), shown);
    }
    const Sandbox other;
    QCOMPARE(other.ask({"import", sandbox_->path("run")}).code, kExitOk);
    QCOMPARE(other.ask({"show", id_, "--json"}).json()["goodput"].toObject(), shown);

    const std::string bare = makeRun({.name = "bare", .steps = 4}).toStdString();
    QVERIFY(ask({"show", "bare", "--json"}).json()["goodput"].isNull());
    catalogue().put_model(bare, 1, {});
    QVERIFY(ask({"show", "bare", "--json"}).json()["goodput"].toObject()["parameters"].isNull());
  }

  void getsANewIdWhereItIsThere() {
    QCOMPARE(ask({"export", id_, "--format", "jsonl", "-o", "run"}).code, kExitOk);
    const Answer answer = ask({"import", "run", "--name", "copy"});
    QCOMPARE(answer.code, kExitOk);
    VERIFY_HOLDS(answer.out, "new id");
    QCOMPARE(runs().size(), 2);
    QVERIFY(ask({"diff", id_, "copy"}).out.contains("Run"));
  }

  void anActiveRunIsImportedAsStopped() {
    makeBusyRun(10);
    QCOMPARE(ask({"export", "busy", "-o", "run"}).code, kExitOk);
    const Sandbox other;
    QCOMPARE(other.ask({"import", sandbox_->path("run")}).code, kExitOk);
    QCOMPARE(other.runs()[0].toObject()["state"].toString(), "stopped");
    // Nobody's program is started.
    VERIFY_REFUSED(kExitConflict, "imported", other.ask({"resume", "latest", "--detach"}));
  }

  void refusesWhatIsDamaged_data() {
    const auto row = testing::columns<QByteArray, QByteArray>({"from", "to"});
    row("other format", "batchscope-run", "something");
    row("newer", "\"version\":1", "\"version\":2");
    row("id", "\"id\":\"", "\"id\":\"../");
    row("state", "\"finished\"", "\"flying\"");
    row("value", "\"nan\"", "\"many\"");
    row("step", "[1,2,3,", "[1,2.5,3,");
    row("large step", "[1,2,3,", "[1,18446744073709551615,3,");
    row("negative step", "[1,2,3,", "[-1,2,3,");
    row("descending steps", "[1,2,3,", "[1,3,2,");
    row("negative replicas", "\"replicas\":2,\"started\"", "\"replicas\":-2,\"started\"");
    row("negative generation", "\"number\":0,", "\"number\":-1,");
    row("generation twice", "\"number\":0,", "\"number\":1,");
    row("count", "\"samples\":3003", "\"samples\":3004");
    row("generation", "\"generation\":0,\"series\"", "\"generation\":-1,\"series\"");
    row("cut off", "{\"end\":{\"samples\":3003}}\n", "");
    row("two ends", "{\"end\":{\"samples\":3003}}\n", "{\"end\":{\"samples\":3003}}\n{}\n");
    row("no JSON", "{\"epochs\"", "{\"epochs");
    row("name of a word", "\"di/gits\"", "\"latest\"");
    row("name with a control", "\"di/gits\"", "\"a\\u001bb\"");
    row("name with another control", "\"di/gits\"", "\"a\\u009bb\"");
    row("no name", "\"di/gits\"", "\"\"");
    row("tag", "[\"paper\"]", "[\"paper\", \"a,b\"]");
    row("tag with a control", "[\"paper\"]", "[\"\\u009b2J\"]");
    row("group", "\"group\":\"ablation\"", "\"group\":\"a\\nb\"");
    row("no end of time", "\"ended\":null", "\"ended\":\"inf\"");
    row("time before all", "\"ended\":null", "\"ended\":-5");
    row("spec", "\"replicas\":1", "\"replicas\":\"x\"");
  }

  void refusesWhatIsDamaged() {
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    QCOMPARE(ask({"export", id_, "-o", "run"}).code, kExitOk);
    QByteArray text = contents("run");
    QVERIFY(text.contains(from));
    text.replace(from, to);
    const Sandbox other;
    testing::write_file(other.path("run").toStdString(), text.toStdString());
    VERIFY_REFUSED(kExitCorrupt, "run", other.ask({"import", "run"}));
    QVERIFY(other.ask({"ls"}).out.contains("No runs yet"));
    QCOMPARE(QDir(other.path("runs")).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size(), 0);
  }

  void namesTheFieldThatIsWrong() {
    QCOMPARE(ask({"export", id_, "-o", "run"}).code, kExitOk);
    const QByteArray text = contents("run");
    const auto import = [&](const QRegularExpression& from, const QString& to, const QStringList& more = {}) {
      write("changed", QString::fromUtf8(text).replace(from, to).toUtf8());
      return Sandbox().ask(QStringList{"import", sandbox_->path("changed")} + more);
    };
    const QRegularExpression created("\"created\":[0-9.e+]+"), name("\"di/gits\"");
    for (const char* value : {"\"nan\"", "\"inf\"", "1e300", "-1"}) {
      VERIFY_REFUSED(kExitCorrupt, "run.created", import(created, QString("\"created\":%1").arg(value)));
    }
    const Answer latest = import(name, "\"latest\"");
    VERIFY_HOLDS(latest.err, "run.name", "--name");
    QCOMPARE(import(name, "\"latest\"", {"--name", "mine"}).code, kExitOk);
    QCOMPARE(import(name, "\"mine\"", {"--name", "latest"}).code, kExitUsage);
  }

  // Older stores took names that none would be recorded by today.
  void seriesOfAnyNameComeBack() {
    const std::string plain(1024, 'n');
    {
      storage::SampleWriter writer(sandbox_->samples(id_).toStdString());
      for (const char* name : {"odd-1", "odd-2", "odd-3"}) writer.append(0, name, 1, 1.5);
      writer.append(0, plain, 1, 2.5);
    }
    QVERIFY(storage::test::meddle(sandbox_->samples(id_).toStdString(),
                                  "UPDATE track SET series = '' WHERE series = 'odd-1';"
                                  "UPDATE track SET series = printf('%.2000c', 'n') WHERE series = 'odd-2';"
                                  "UPDATE track SET series = printf('%.3000c', 'n') WHERE series = 'odd-3'"));
    for (const char* format : {"jsonl", "sqlite"}) {
      QCOMPARE(ask({"export", id_, "--format", format, "-o", "run", "--force"}).code, kExitOk);
      const Sandbox other;
      const Answer answer = other.ask({"import", sandbox_->path("run")});
      QVERIFY2(answer.code == kExitOk, qPrintable(answer.err));
      VERIFY_HOLDS(answer.err, "3 series");
      QCOMPARE(samples(other, "unnamed~1", 0).size(), 1u);
      QCOMPARE(samples(other, plain.c_str(), 0).front().value, 2.5);
      QCOMPARE(samples(other, (plain.substr(2) + "~2").c_str(), 0).front().value, 1.5);
      QCOMPARE(samples(other, (plain.substr(2) + "~3").c_str(), 0).front().value, 1.5);
    }
  }

  void refusesOtherFiles() {
    QCOMPARE(ask({"import", "nosuch"}).code, kExitNotFound);
    QCOMPARE(ask({"import", "."}).code, kExitNotFound);  // a folder in which nothing is a run
    QCOMPARE(ask({"import", sandbox_->database()}).code, kExitCorrupt);
    QCOMPARE(ask({"import", "/bin/true"}).code, kExitCorrupt);
  }

 private:
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
    catalogue().put_model(id_.toStdString(), 1, model);
    storage::SampleWriter writer(sandbox_->samples(id_).toStdString());
    const std::vector<double> seconds(100, 0.046), sizes(100, 32), none(100, 0), totals(100, 64),
        efficiency(100, 0.5);
    writer.append(1, "step_time", kSteps / 2 + 1, seconds);
    writer.append(1, "local_batch_size", kSteps / 2 + 1, sizes);
    writer.append(1, "accumulation_steps", kSteps / 2 + 1, none);
    writer.append(1, "batch_size", kSteps / 2 + 1, totals);
    writer.append(1, "efficiency", kSteps / 2 + 1, efficiency);
  }

  std::vector<storage::Sample> samples(const Sandbox& sandbox, const char* series, int generation) const {
    return storage::SampleReader(sandbox.path("runs/" + id_ + "/samples.db").toStdString())
        .read(series, generation);
  }
};

BATCHSCOPE_TEST(TestExport)
#include "test_export.moc"
