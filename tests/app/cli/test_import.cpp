// SPDX-License-Identifier: Apache-2.0
//
// import of what other experiment trackers have written: which runs come of it, that nothing comes twice, and
// what is said of files that cannot be read.
#include <signal.h>

#include "command_test.h"
#include "tracker_files.h"

using namespace batchscope;
using namespace batchscope::cli;

class TestImport : public CommandTest {
  Q_OBJECT

  // Values of a series, "1=0.5 2=0.25" for each generation behind a bar.
  QString series(const QString& run, const char* name) const {
    storage::SampleReader reader(sandbox_->samples(run).toStdString());
    QStringList generations;
    for (const int generation : reader.generations(name)) {
      QStringList samples;
      for (const storage::Sample& sample : reader.read(name, generation))
        samples << QStringLiteral("%1=%2").arg(sample.step).arg(sample.value);
      generations << samples.join(' ');
    }
    return generations.join(QStringLiteral(" | "));
  }
  QStringList names() const {
    QStringList names;
    for (const QJsonValue& run : runs()) names << run["name"].toString();
    names.sort();
    return names;
  }
  QString idOf(const QString& name) const {
    for (const QJsonValue& run : runs())
      if (run["name"].toString() == name) return run["id"].toString();
    return {};
  }
  void append(const QString& file, const std::string& bytes) const {
    write(file, contents(file) + QByteArray::fromStdString(bytes));
  }

 private Q_SLOTS:
  void init() { newSandbox(); }

  void eventFilesOfAFolderAreOneRun() {
    append("runs/a/events.out.tfevents.100.host.1",
           simpleEvent(1, 100, "loss", 0.5f) + hparamsEvent("lr", 0.1));
    append("runs/a/events.out.tfevents.200.host.2", tensorEvent(2, 200, "loss", 0.25f));
    append("runs/b/deep/events.out.tfevents.300.host.3", simpleEvent(1, 300, "loss", 4));
    const Answer answer = shell("shopt -s globstar; batchscope import runs/**/events.out.tfevents.*");
    QCOMPARE(answer.code, kExitOk);
    VERIFY_HOLDS(answer.out, "imported a (", "imported b/deep (", "(TensorBoard)");
    QCOMPARE(names(), (QStringList{"a", "b/deep"}));
    QCOMPARE(series(idOf("a"), "loss"), "1=0.5 | 2=0.25");
    const QJsonObject run = ask({"ls", "--where", "lr = 0.1", "--json"}).json()["runs"][0].toObject();
    QCOMPARE(run["name"].toString(), "a");
    QCOMPARE(run["step"].toInt(), 2);
    QCOMPARE(run["latest"].toObject()["loss"].toDouble(), 0.25);
    VERIFY_REFUSED(kExitConflict, "can be looked at and compared, but not resumed", ask({"resume", "a"}));
  }

  void importedAgainItGetsWhatIsNew() {
    const QString file = "runs/a/events.out.tfevents.100.host.1";
    append(file, simpleEvent(1, 100, "loss", 0.5f));
    VERIFY_CODE(kExitOk, ask({"import", "runs/a"}));
    const QString id = idOf("a");
    VERIFY_CODE(kExitOk, ask({"rename", id, "mine"}));
    append(file, simpleEvent(2, 101, "loss", 0.25f));
    append("runs/a/events.out.tfevents.050.host.1", simpleEvent(1, 50, "loss", 9));  // older by its name
    const Answer answer = ask({"import", "runs"});
    VERIFY_HOLDS(answer.out, "mine (" + id + ") was here already; 4 samples are new");
    QCOMPARE(series(id, "loss"), "1=0.5 2=0.25 | 1=9");
    VERIFY_HOLDS(ask({"import", "runs/a", file}).out, "0 samples are new");
    QCOMPARE(series(id, "loss"), "1=0.5 2=0.25 | 1=9");
    QCOMPARE(names(), QStringList{"mine"});
    VERIFY_CODE(kExitOk, ask({"rm", id, "--yes"}));
    VERIFY_REFUSED(kExitConflict, "batchscope restore " + id, ask({"import", "runs/a"}));
  }

  void aFileThatWasReplacedIsRefused() {
    write("a.csv", "step,loss\n1,2\n");
    VERIFY_CODE(kExitOk, ask({"import", "a.csv"}));
    QCOMPARE(series(idOf("a"), "loss"), "1=2");
    write("a.csv", "step,loss\n1,3\n2,4\n");
    VERIFY_REFUSED(kExitConflict, "a.csv was replaced", ask({"import", "a.csv"}));
    QCOMPARE(series(idOf("a"), "loss"), "1=2");
  }

  void runsOfMlflow() {
    const QString run = "mlruns/7/0123abcd/";
    write("mlruns/7/meta.yaml", "name: digits\nexperiment_id: '7'\n");
    write(run + "meta.yaml",
          "run_name: swift-owl\nstart_time: 1700000000000\nend_time: 1700000060000\nstatus: 3\n");
    write(run + "metrics/val/loss", "1700000000000 0.5 1\n1700000001000 0.25 2\n");
    write(run + "params/lr", "0.1");
    write(run + "tags/mlflow.note.content", "a note");
    write(run + "tags/paper", "yes");
    VERIFY_CODE(kExitOk, ask({"import", "mlruns"}));
    const QJsonObject found = ask({"ls", "--where", "lr = 0.1", "--json"}).json()["runs"][0].toObject();
    QCOMPARE(found["name"].toString(), "swift-owl");
    QCOMPARE(found["group"].toString(), "digits");
    QCOMPARE(found["state"].toString(), "finished");
    QCOMPARE(found["note"].toString(), "a note");
    QCOMPARE(found["tags"].toArray(), QJsonArray{"paper=yes"});
    QCOMPARE(found["created"].toDouble(), 1.7e9);
    QCOMPARE(series(found["id"].toString(), "val/loss"), "1=0.5 2=0.25");
  }

  void runsOfWandb() {
    WandbLog log;
    log.add(bytesField(17, bytesField(1, "abc") + bytesField(3, "mnist") + bytesField(8, "sunny-sky")));
    log.add(bytesField(2, WandbLog::item("loss", "0.5") + bytesField(2, varintField(1, 3))));
    log.add(bytesField(18, varintField(1, 1)));
    append("wandb/run-20240101_000000-abc/run-abc.wandb", log.bytes);
    write("wandb/run-20240101_000000-abc/files/config.yaml",
          "_wandb:\n  value: {}\nlr:\n  desc: null\n  value: 0.1\n");
    // Without its log there are the last values alone.
    write("wandb/run-20240102_000000-def/files/wandb-summary.json",
          R"({"loss":0.75,"_timestamp":1.7e9,"_step":9})");
    const Answer answer = ask({"import", "wandb"});
    QCOMPARE(answer.code, kExitOk);
    VERIFY_HOLDS(answer.err, "histories, because the folder has no .wandb file");
    QCOMPARE(names(), (QStringList{"run-20240102_000000-def", "sunny-sky"}));
    QCOMPARE(series(idOf("sunny-sky"), "loss"), "3=0.5");
    const QJsonArray list = ask({"ls", "--where", "lr = 0.1", "--json"}).json()["runs"].toArray();
    QCOMPARE(list.size(), 1);
    QCOMPARE(list[0].toObject()["state"].toString(), "failed");
    QCOMPARE(ask({"ls", "--where", "loss = 0.75", "--json"}).json()["runs"].toArray().size(), 1);
  }

  void oneThatCannotBeReadKeepsNoOtherOut() {
    append("runs/a/events.out.tfevents.1.h.1", simpleEvent(1, 100, "loss", 0.5f) + "what is this");
    append("runs/b/events.out.tfevents.1.h.1", "not an event file");
    append("runs/c/events.out.tfevents.1.h.1", "");
    const Answer answer = ask({"import", "runs", "--json"});
    QCOMPARE(answer.code, kExitOk);
    QCOMPARE(names(), QStringList{"a"});
    QCOMPARE(answer.json()["imported"].toString(), idOf("a"));
    VERIFY_HOLDS(answer.err, "runs/a/events.out.tfevents.1.h.1: damaged at byte",
                 "it is not an event file of TensorBoard", "runs/c: it holds no values");
    VERIFY_REFUSED(kExitNotFound, "nothing was imported", ask({"import", "runs/b"}));
    VERIFY_REFUSED(kExitUsage, "batchscope follow", ask({"import", "--watch", "nothing.jsonl"}));
  }

  void watchesWhatIsBeingWritten() {
    const QString file = "runs/a/events.out.tfevents.100.host.1";
    append(file, simpleEvent(1, 100, "loss", 0.5f));
    const auto process = sandbox_->start({"import", "--watch", "runs"});
    const auto seen = [&](const QString& name, const char* values) {
      return QTest::qWaitFor(
          [&] {
            const QString id = idOf(name);
            if (id.isEmpty() || !QFile::exists(sandbox_->samples(id))) return false;
            try {
              return series(id, "loss") == values;
            } catch (const Error&) {  // the file is there, its tables are not yet
              return false;
            }
          },
          Sandbox::kPatienceMs);
    };
    QVERIFY(seen("a", "1=0.5"));
    QCOMPARE(runs()[0].toObject()["state"].toString(), "running");
    append(file, simpleEvent(2, 101, "loss", 0.25f));
    QVERIFY(seen("a", "1=0.5 2=0.25"));
    append("runs/b/events.out.tfevents.200.host.1", simpleEvent(1, 200, "loss", 4));
    QVERIFY(seen("b", "1=4"));
    ::kill(static_cast<pid_t>(process->processId()), SIGINT);
    const Answer answer = Sandbox::finish(*process);
    QCOMPARE(answer.code, kExitOk);
    VERIFY_HOLDS(answer.out, "imported a (", "imported b (");
    for (const QJsonValue& run : runs()) QCOMPARE(run["state"].toString(), "stopped");
  }
};

BATCHSCOPE_TEST(TestImport)
#include "test_import.moc"
