// SPDX-License-Identifier: Apache-2.0
//
// rm, restore and gc: nothing is deleted that was not meant.
#include "command_test.h"

using namespace batchscope;
using namespace batchscope::cli;

class TestTrash : public CommandTest {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    newSandbox();
    id_ = makeRun({.steps = 20});
  }

  void removedRunsComeBack() {
    const Answer removed = ask({"rm", id_});
    QCOMPARE(removed.code, kExitOk);
    QVERIFY2(removed.out.contains("batchscope restore " + id_), qPrintable(removed.out));
    QVERIFY(QFile::exists(folder() + "/samples.db"));
    QVERIFY(ask({"ls"}).out.contains("No runs yet"));
    QVERIFY(ask({"ls", "--trash"}).out.contains(id_));
    VERIFY_REFUSED(kExitNotFound, "in the trash", ask({"show", id_}));
    QCOMPARE(ask({"restore", "latest"}).code, kExitOk);
    QCOMPARE(ask({"show", id_}).code, kExitOk);
    QCOMPARE(ask({"restore", id_}).code, kExitNotFound);
  }

  void purgingIsForGood() {
    const Answer asked = ask({"rm", "--purge", id_});
    QCOMPARE(asked.code, kExitUsage);
    QVERIFY(asked.err.contains("--yes"));
    QVERIFY(QFile::exists(folder()));
    QCOMPARE(ask({"rm", "--purge", "--yes", id_}).code, kExitOk);
    QVERIFY(!QFile::exists(folder()));
    QCOMPARE(ask({"restore", id_}).code, kExitNotFound);
  }

  void purgingReachesTheTrash() {
    QCOMPARE(ask({"rm", id_}).code, kExitOk);
    QCOMPARE(ask({"rm", "--purge", "--yes", id_}).code, kExitOk);
    QVERIFY(!QFile::exists(folder()));
  }

  void whatIsActiveStays() {
    makeBusyRun(0);
    QCOMPARE(ask({"rm", "busy"}).code, kExitConflict);
    QCOMPARE(ask({"rm", "--purge", "--yes", "busy"}).code, kExitConflict);
    QCOMPARE(ask({"show", "busy"}).code, kExitOk);
  }

  void collectsOldTrash() {
    QVERIFY(ask({"gc"}).out.contains("nothing to delete"));
    QCOMPARE(ask({"rm", id_}).code, kExitOk);
    QVERIFY2(ask({"gc"}).out.contains("nothing to delete"), "it has not been there for long");
    const Answer dry = ask({"gc", "--days", "0", "--dry-run"});
    QCOMPARE(dry.code, kExitOk);
    QVERIFY2(dry.out.contains(id_) && dry.out.contains("would delete 1 item"), qPrintable(dry.out));
    QCOMPARE(ask({"gc", "--days", "0"}).code, kExitUsage);
    QVERIFY(QFile::exists(folder()));
    const QJsonObject json = ask({"gc", "--days", "0", "--yes", "--json"}).json();
    QCOMPARE(json["deleted"].toBool(), true);
    QVERIFY(json["bytes"].toInt() > 0);
    QVERIFY(!QFile::exists(folder()));
  }

  void collectsOrphanedFolders() {
    QVERIFY(QDir().mkpath(sandbox_->path("runs/zzzzzzzz/logs")));
    QVERIFY(QDir().mkpath(sandbox_->path("runs/not-a-run")));
    {
      storage::SampleWriter writer(sandbox_->path("runs/yyyyyyyy/samples.db").toStdString());
      QCOMPARE(ask({"gc", "--yes", "--json"}).json()["items"].toArray().size(), 1);  // the other is written
    }
    QVERIFY(!QFile::exists(sandbox_->path("runs/zzzzzzzz")));
    QVERIFY(QFile::exists(sandbox_->path("runs/yyyyyyyy")));
    // Left by a purge and an import that were killed.
    for (const char* left : {"runs/xxxxxxxx.purged/checkpoints/checkpoint-000001", "runs/wwwwwwww.partial"}) {
      QVERIFY(QDir().mkpath(sandbox_->path(left)));
      QVERIFY(QFile(sandbox_->path(QString(left) + "/file")).open(QIODevice::WriteOnly));
    }
    QCOMPARE(ask({"gc", "--yes", "--json"}).json()["items"].toArray().size(), 2);
    QVERIFY(!QFile::exists(sandbox_->path("runs/xxxxxxxx.purged")));
    QVERIFY(!QFile::exists(sandbox_->path("runs/wwwwwwww.partial")));
    QVERIFY(QFile::exists(sandbox_->path("runs/not-a-run")));
    QVERIFY(QFile::exists(folder()));
  }

  void neverCollectsARunThatIsNotListed() {
    const QString catalogue = sandbox_->database();
    for (const char* ending : {"-wal", "-shm"}) QFile::remove(catalogue + ending);
    QVERIFY(QFile::resize(catalogue, 0));  // as a half-made one was
    QVERIFY2(ask({"gc", "--yes"}).out.contains("nothing to delete"), "the catalogue is made again");
    QVERIFY(ask({"ls"}).out.contains(id_));

    for (const char* file : {"runs/yyyyyyyy/run.json", "runs/xxxxxxxx/checkpoints/checkpoint-000001/model"}) {
      QVERIFY(QDir().mkpath(QFileInfo(sandbox_->path(file)).path()));
      QVERIFY(QFile(sandbox_->path(file)).open(QIODevice::WriteOnly));
    }
    const Answer gc = ask({"gc", "--yes"});
    QCOMPARE(gc.code, kExitOk);
    VERIFY_HOLDS(gc.out, "left alone: 2 run folders", "batchscope adopt");
    QVERIFY(QFile::exists(sandbox_->path("runs/yyyyyyyy/run.json")));
    const Answer doctor = ask({"doctor"});
    QVERIFY2(doctor.out.contains("2 run folders that the catalogue does not list") &&
                 doctor.out.contains("to fix it: batchscope adopt"),
             qPrintable(doctor.out));

    QCOMPARE(ask({"adopt", "zzzzzzzz"}).code, kExitNotFound);
    QCOMPARE(ask({"adopt", id_}).code, kExitConflict);
    QCOMPARE(ask({"adopt", "yyyyyyyy", "--json"}).json()["adopted"].toArray(), QJsonArray{"yyyyyyyy"});
    QVERIFY(ask({"adopt"}).out.contains("listed xxxxxxxx"));
    QVERIFY(ask({"adopt"}).out.contains("Every run"));
    QCOMPARE(runs().size(), 3);
    QCOMPARE(ask({"rm", "--purge", "--yes", "yyyyyyyy"}).code, kExitOk);
    QCOMPARE(QDir(sandbox_->path("runs")).entryList({"yyyyyyyy*"}), QStringList());
  }

  void daysThatAreNoneSelectNothing() {
    QCOMPARE(ask({"rm", id_}).code, kExitOk);
    QCOMPARE(ask({"gc", "--days", "nan", "--yes"}).code, kExitUsage);
    QVERIFY(QFile::exists(folder()));
    QVERIFY(ask({"ls", "--trash"}).out.contains(id_));
  }

  void collectsCheckpointsWhenAsked() {
    storage::Catalogue catalogue = this->catalogue();
    int step = 0;
    for (const char* reason : {"periodic", "manual", "periodic", "exit"}) {
      const std::string name = "checkpoint-" + std::to_string(++step);
      catalogue.put_checkpoint(id_.toStdString(), {name, 0, step, 0, 0, 100.0 + step, 0.1, 5, reason});
      QVERIFY(QDir().mkpath(folder() + "/checkpoints/" + QString::fromStdString(name)));
    }
    QVERIFY(ask({"gc"}).out.contains("nothing to delete"));
    QCOMPARE(ask({"gc", "--checkpoints", "--yes"}).code, kExitOk);
    QStringList kept;
    for (const auto& checkpoint : catalogue.checkpoints(id_.toStdString()))
      kept << QString::fromStdString(checkpoint.name);
    QCOMPARE(kept, QStringList({"checkpoint-4", "checkpoint-2"}));
    QCOMPARE(QDir(folder() + "/checkpoints").entryList(QDir::Dirs | QDir::NoDotAndDotDot),
             QStringList({"checkpoint-2", "checkpoint-4"}));
  }

 private:
  QString folder() const { return sandbox_->path("runs/" + id_); }
};

BATCHSCOPE_TEST(TestTrash)
#include "test_trash.moc"
