// SPDX-License-Identifier: Apache-2.0
//
// The store as a whole: sql, compact, backup, doctor --store.
#include <QDir>
#include <QtTest>

#include "batchscope/protocol/error.h"
#include "run_store.h"

using namespace batchscope;
using namespace batchscope::cli;

class TestStore : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    sandbox_ = std::make_unique<Sandbox>();
    id_ =
        QString::fromStdString(RunMaker{.accuracy = 0.97, .tags = {"a,b", "c\"d"}, .steps = 3000}(*sandbox_));
  }

  void answersSql() {
    const QStringList lines = ask({"sql", "SELECT id, name, step FROM run"}).out.trimmed().split('\n');
    QCOMPARE(lines.size(), 2);
    QCOMPARE(lines[1].simplified(), id_ + " digits 3000");
    QCOMPARE(ask({"sql", "--csv", "SELECT name, run AS number FROM tag ORDER BY name"}).out,
             "name,number\n\"a,b\",1\n\"c\"\"d\",1\n");
    const QJsonObject row = ask({"sql", "--json", "--run", "latest",
                                 "SELECT count(*) AS n, max(value) AS top FROM sample WHERE series = 'loss'"})
                                .json();
    QCOMPARE(row["n"].toInt(), 3000);
    QCOMPARE(row["top"].toDouble(), 2.0);
    const Answer write = ask({"sql", "DELETE FROM run"});
    QCOMPARE(write.code, int(kExitUsage));
    QVERIFY2(write.err.contains("nothing is changed"), qPrintable(write.err));
    QCOMPARE(ask({"sql", "SELECT nosuch"}).code, int(kExitUsage));
    const Answer samples = ask({"sql", "SELECT * FROM sample"});
    QCOMPARE(samples.code, int(kExitUsage));
    QVERIFY2(samples.err.contains("--run"), qPrintable(samples.err));
    QCOMPARE(Sandbox().ask({"sql", "SELECT 1"}).code, int(kExitNotFound));
  }

  void compacts() {
    const QJsonObject json = ask({"compact", "--json"}).json();
    QVERIFY(json["bytes_before"].toInteger() >= json["bytes_after"].toInteger());
    QCOMPARE(
        ask({"plot", "latest", "loss", "--json"}).json()["curves"].toArray()[0].toObject()["samples"].toInt(),
        3000);
    const std::string busy =
        RunMaker{.name = "busy", .state = protocol::RunState::running, .steps = 10}(*sandbox_);
    storage::Catalogue catalogue(sandbox_->database().toStdString());
    QVERIFY(catalogue.claim_supervisor(busy));
    QCOMPARE(ask({"compact", "--json"}).json()["skipped"].toInt(), 1);
  }

  void backsUp() {
    QCOMPARE(ask({"backup", "copy"}).code, int(kExitOk));
    auto process = sandbox_->prepare({"plot", "latest", "loss", "--json"});
    QProcessEnvironment environment = process->processEnvironment();
    environment.insert("BATCHSCOPE_DB", sandbox_->path("copy/runs.db"));
    process->setProcessEnvironment(environment);
    process->start();
    QCOMPARE(Sandbox::finish(*process).json()["curves"].toArray()[0].toObject()["samples"].toInt(), 3000);
    QCOMPARE(ask({"backup", "copy"}).code, int(kExitConflict));
  }

  void examinesEveryByte() {
    QVERIFY(QDir().mkpath(sandbox_->path("runs/zzzzzzzz")));
    const Answer well = ask({"doctor", "--store"});
    QVERIFY2(well.out.contains("3003 samples of 1 run"), qPrintable(well.out));
    QVERIFY2(well.out.contains("1 folder of no run"), qPrintable(well.out));
    QVERIFY2(!well.out.contains("damage"), qPrintable(well.out));

    QFile file(sandbox_->path("runs/" + id_ + "/samples.db"));
    QVERIFY(file.open(QIODevice::ReadWrite));
    QByteArray bytes = file.readAll();
    const double value = RunMaker::loss(100);
    const QByteArray wanted(reinterpret_cast<const char*>(&value), sizeof value);
    const auto at = bytes.indexOf(wanted);
    QVERIFY(at > 0);
    QVERIFY(file.seek(at) && file.write("\xFF\xFF", 2) == 2);
    file.close();
    const Answer ill = ask({"doctor", "--store", "--json"});
    QCOMPARE(ill.code, int(kExitFailure));
    QVERIFY2(ill.out.contains("damage") && ill.out.contains(id_), qPrintable(ill.out));
  }

 private:
  Answer ask(const QStringList& arguments) const { return sandbox_->ask(arguments); }

  std::unique_ptr<Sandbox> sandbox_;
  QString id_;
};

QTEST_GUILESS_MAIN(TestStore)
#include "test_store.moc"
