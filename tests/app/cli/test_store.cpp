// SPDX-License-Identifier: Apache-2.0
//
// The store as a whole: sql, compact, backup, doctor --store.
#include <signal.h>

#include "command_test.h"
#include "store_test.h"

using namespace batchscope;
using namespace batchscope::cli;

class TestStore : public CommandTest {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    newSandbox();
    id_ = makeRun({.accuracy = 0.97, .tags = {"a,b", "c\"d"}, .steps = 3000});
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
    VERIFY_REFUSED(kExitUsage, "cannot change the store", ask({"sql", "DELETE FROM run"}));
    QCOMPARE(ask({"sql", "SELECT nosuch"}).code, kExitUsage);
    VERIFY_REFUSED(kExitUsage, "--run", ask({"sql", "SELECT * FROM sample"}));
    QCOMPARE(Sandbox().ask({"sql", "SELECT 1"}).code, kExitNotFound);
  }

  void joinsSamplesByStep() {
    const Answer answer = ask({"sql", "--run", "latest", "--csv",
                               "SELECT a.generation, count(*), sum(b.value = a.value) FROM sample a JOIN "
                               "sample b ON a.step = b.step "
                               "AND b.series = 'loss' WHERE a.series = 'loss' GROUP BY 1"});
    QCOMPARE(answer.out.split('\n').mid(1, 2), QStringList({"0,1500,1500", "1,1500,1500"}));
  }

  void givesUpAQuestion() {
    const QString endless = "SELECT count(*) FROM sample a, sample b, sample c, sample d";
    const Answer late = ask({"sql", "--run", "latest", "--timeout", "0.2s", endless});
    QCOMPARE(late.code, kExitTimeout);
    VERIFY_HOLDS(late.err, "0.2s", "--timeout");
    QCOMPARE(ask({"sql", "--timeout", "soon", "SELECT 1"}).code, kExitUsage);
    QCOMPARE(ask({"sql", "--timeout", "1h", "--csv", "SELECT 1"}).out, "1\n1\n");

    const auto process = sandbox_->start({"sql", "--csv",
                                          "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 "
                                          "FROM n) SELECT x FROM n WHERE x % 100 = 0"});
    QVERIFY(process->waitForReadyRead(Sandbox::kPatienceMs));  // it answers, and would go on for ever
    ::kill(static_cast<pid_t>(process->processId()), SIGINT);
    QVERIFY(process->waitForFinished(Sandbox::kPatienceMs));
    QCOMPARE(process->exitStatus(), QProcess::CrashExit);  // of the signal, as a shell expects
    QCOMPARE(process->exitCode(), SIGINT);
  }

  void compacts() {
    const QJsonObject json = ask({"compact", "--json"}).json();
    QVERIFY(json["bytes_before"].toInteger() >= json["bytes_after"].toInteger());
    QCOMPARE(
        ask({"plot", "latest", "loss", "--json"}).json()["curves"].toArray()[0].toObject()["samples"].toInt(),
        3000);
    makeBusyRun(10);
    QCOMPARE(ask({"compact", "--json"}).json()["skipped"].toInt(), 1);
  }

  void backsUp() {
    QCOMPARE(ask({"backup", "copy"}).code, kExitOk);
    const Answer plot = sandbox_->ask({"plot", "latest", "loss", "--json"},
                                      {{"BATCHSCOPE_DB", sandbox_->path("copy/runs.db")}});
    QCOMPARE(plot.json()["curves"].toArray()[0].toObject()["samples"].toInt(), 3000);
    QCOMPARE(ask({"backup", "copy"}).code, kExitConflict);
  }

  void showsABackupsFolderHarmlesslyAndQuoted() {
    const Answer answer = ask({"backup", QString::fromUtf8("my \x1b[31m\u202e copy")});
    VERIFY_CODE(kExitOk, answer);
    QVERIFY2(!answer.out.contains(QChar(0x1b)) && !answer.out.contains(QChar(0x202e)),
             qPrintable(answer.out));
    VERIFY_HOLDS(answer.out, "BATCHSCOPE_DB='");
  }

  // Only --add prints a token's secret; the list does not show it.
  void givesOtherPeopleTokens() {
    VERIFY_HOLDS(ask({"serve", "tokens"}).out, "There are no named tokens");
    const QString given = ask({"serve", "tokens", "--add", "anna", "--add", "ben:control"}).out;
    VERIFY_HOLDS(given, "anna (read): ", "ben (control): ", "/?token=");
    const QString secret = given.section("/?token=", 1, 1).left(32);
    const QString listed = ask({"serve", "tokens"}).out + ask({"serve", "tokens", "--json"}).out;
    VERIFY_HOLDS(listed, "anna", "control", R"("name":"ben")");
    QVERIFY(!listed.contains(secret));
    VERIFY_REFUSED(kExitConflict, "--revoke anna", ask({"serve", "tokens", "--add", "anna:control"}));
    VERIFY_REFUSED(kExitUsage, "'Anna' is not a token", ask({"serve", "tokens", "--add", "Anna"}));
    VERIFY_REFUSED(kExitUsage, "'Zoe' is not a token",
                   ask({"serve", "tokens", "--revoke", "ben", "--add", "Zoe"}));
    VERIFY_REFUSED(kExitUsage, "'Zoe' is not a token",
                   ask({"serve", "--port", "0", "--new-token", "--token", "Zoe"}));
    VERIFY_HOLDS(ask({"serve", "tokens"}).out, "anna", "ben");  // nothing was revoked
    VERIFY_HOLDS(ask({"serve", "tokens", "--revoke", "anna"}).out, "anna is revoked");
    VERIFY_REFUSED(kExitNotFound, "no token 'anna'", ask({"serve", "tokens", "--revoke", "anna"}));
    VERIFY_REFUSED(kExitUsage, "no command \"token\"; did you mean tokens?", ask({"serve", "token"}));
  }

  void linksShowOneRun() {
    const QString made = ask({"serve", "link", "latest", "--hours", "2"}).out;
    VERIFY_HOLDS(made, "no other run, until", "/run/", "?token=", "--revoke link-");
    VERIFY_HOLDS(ask({"serve", "tokens"}).out, "link-", "read", "UNTIL");
    VERIFY_HOLDS(ask({"serve", "link", "latest", "--json"}).out, "path", "until");
    VERIFY_REFUSED(kExitNotFound, "nothing", ask({"serve", "link", "nothing"}));
    VERIFY_REFUSED(kExitUsage, "--hours", ask({"serve", "link", "latest", "--hours", "0"}));
  }

  void servesNoStoreThatIsNotThere() {
    for (const char* place : {"nothere.db", "."})
      VERIFY_REFUSED(kExitNotFound, QString("no store at %1; give the path of its runs.db").arg(place),
                     ask({"serve", "--port", "0", "--store", place}));
    QVERIFY(!QFile::exists(sandbox_->path("nothere.db")));
  }

  void servesNoStoreOfANewerVersion() {
    QVERIFY(meddle("PRAGMA user_version = 999"));
    VERIFY_REFUSED(kExitCorrupt, "use a newer BatchScope", ask({"serve", "--port", "0"}));
  }

  void examinesEveryByte() {
    QVERIFY(QDir().mkpath(sandbox_->path("runs/zzzzzzzz")));
    const Answer well = ask({"doctor", "--store"});
    VERIFY_HOLDS(well.out, "3003 samples of 1 run");
    VERIFY_HOLDS(well.out, "1 folder without a run");
    QVERIFY2(!well.out.contains("damage"), qPrintable(well.out));

    QFile file(sandbox_->samples(id_));
    QVERIFY(file.open(QIODevice::ReadWrite));
    QByteArray bytes = file.readAll();
    const double value = RunMaker::loss(100);
    const QByteArray wanted(reinterpret_cast<const char*>(&value), sizeof value);
    const auto at = bytes.indexOf(wanted);
    QVERIFY(at > 0);
    QVERIFY(file.seek(at) && file.write("\xFF\xFF", 2) == 2);
    file.close();
    const Answer ill = ask({"doctor", "--store", "--json"});
    QCOMPARE(ill.code, kExitFailure);
    QVERIFY2(ill.out.contains("damage") && ill.out.contains(id_), qPrintable(ill.out));
  }

  void aDamagedRunLocksNothing() {
    const QString bad = makeRun({.name = "bad", .steps = 20});
    QVERIFY(meddle(R"(UPDATE run SET spec = '{"efficiency_floor":null}' WHERE name = 'bad')"));
    const QString list = ask({"ls"}).out;
    QVERIFY2(list.contains(id_) && list.contains(QRegularExpression(bad + " +bad +damaged")),
             qPrintable(list));
    QVERIFY(ask({"ls", "--where", "state=damaged"}).out.contains(bad));
    const Answer shown = ask({"show", bad});
    QCOMPARE(shown.code, kExitOk);
    VERIFY_HOLDS(shown.out, "damaged", "efficiency_floor");
    const QJsonObject json = ask({"show", bad, "--json"}).json()["run"].toObject();
    QCOMPARE(json["state"].toString(), QString("damaged"));
    QVERIFY(json["message"].toString().contains("efficiency_floor"));
    QVERIFY(json["spec"].isNull());

    for (const QStringList& works : {QStringList{"show", id_},
                                     {"export", id_},
                                     {"backup", "copy"},
                                     {"compact"},
                                     {"gc", "--checkpoints", "--yes"},
                                     {"diff", id_, bad},
                                     {"plot", bad},
                                     {"tail", "--once", bad},
                                     {"tag", bad, "+why"},
                                     {"rm", id_},
                                     {"restore", id_}}) {
      const Answer answer = ask(works);
      QVERIFY2(answer.code == kExitOk, qPrintable(works.join(' ') + ": " + answer.err));
    }
    QVERIFY(QFile::exists(sandbox_->path("copy/runs/" + bad + "/samples.db")));
    for (const QStringList& refused : {QStringList{"resume", bad},
                                       {"resume", bad, "--restart-budget", "3"},
                                       {"fork", bad},
                                       {"export", bad}}) {
      const Answer answer = ask(refused);
      QVERIFY2(answer.code == kExitCorrupt, qPrintable(refused.join(' ') + ": " + answer.err));
      VERIFY_HOLDS(answer.err, "efficiency_floor");
    }
    QCOMPARE(ask({"stop", bad}).code, kExitConflict);

    const Answer doctor = ask({"doctor", "--store"});
    QCOMPARE(doctor.code, kExitFailure);
    QVERIFY2(doctor.out.contains("damaged") && doctor.out.contains("batchscope rm --purge " + bad),
             qPrintable(doctor.out));
    QCOMPARE(ask({"rm", bad}).code, kExitOk);
    QCOMPARE(ask({"rm", "--purge", "--yes", bad}).code, kExitOk);
    QVERIFY(!QFile::exists(sandbox_->path("runs/" + bad)));
    QVERIFY(!ask({"doctor", "--store"}).out.contains("damaged"));
  }

  void aDamagedHistoryIsNamed() {
    storage::Catalogue catalogue = this->catalogue();
    const QString bad = makeRun({.name = "bad", .steps = 20});
    catalogue.put_checkpoint(bad.toStdString(), {});
    QVERIFY(
        meddle("PRAGMA writable_schema = ON;"
               "UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '') WHERE name = 'checkpoint'"));
    QVERIFY(meddle("UPDATE checkpoint SET bytes = 'much'"));
    const Answer shown = ask({"show", bad});
    QCOMPARE(shown.code, kExitCorrupt);
    QVERIFY2(shown.err.contains(bad) && shown.err.contains("checkpoints"), qPrintable(shown.err));
    QCOMPARE(ask({"show", id_}).code, kExitOk);
    QCOMPARE(ask({"gc", "--checkpoints", "--yes"}).code, kExitOk);
    const Answer doctor = ask({"doctor", "--store"});
    QVERIFY2(doctor.out.contains("batchscope rm --purge " + bad), qPrintable(doctor.out));
    QCOMPARE(ask({"rm", "--purge", "--yes", bad}).code, kExitOk);
  }

  void saysWhatIsLost() {
    QVERIFY(!ask({"doctor"}).out.contains("lost"));
    QVERIFY(QFile::remove(sandbox_->samples(id_)));
    const QString series = ask({"doctor"}).out;
    VERIFY_HOLDS(series, "lost", "its series");
    QVERIFY(QDir(sandbox_->path("runs/" + id_)).removeRecursively());
    const Answer folder = ask({"doctor"});
    QCOMPARE(folder.code, kExitFailure);
    QVERIFY2(folder.out.contains(QRegularExpression("lost .*" + id_)) &&
                 folder.out.contains("batchscope rm --purge " + id_),
             qPrintable(folder.out));
    QCOMPARE(ask({"rm", "--purge", "--yes", id_}).code, kExitOk);
    QVERIFY(!ask({"doctor"}).out.contains("lost"));
  }

  void isTakenOutOfOthersReach() {
    QVERIFY(!ask({"doctor"}).out.contains("rights"));
    constexpr auto kOpen = QFileDevice::ReadOwner | QFileDevice::WriteOwner | QFileDevice::ExeOwner |
                           QFileDevice::ReadGroup | QFileDevice::ExeGroup | QFileDevice::ReadOther |
                           QFileDevice::ExeOther;
    const QStringList places{sandbox_->database(), sandbox_->path("runs"), sandbox_->path("runs/" + id_),
                             sandbox_->samples(id_)};
    for (const QString& place : places) QVERIFY(QFile::setPermissions(place, kOpen));
    const QString open = ask({"doctor"}).out;
    VERIFY_HOLDS(open, "rights", "batchscope doctor --tighten");
    QVERIFY(!ask({"doctor", "--tighten"}).out.contains("rights"));
    for (const QString& place : places)
      QCOMPARE(
          QFile::permissions(place) &
              ~(QFileDevice::ReadUser | QFileDevice::WriteUser | QFileDevice::ExeUser),
          QFileDevice::Permissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner | QFileDevice::ExeOwner));
    QCOMPARE(ask({"show", id_}).code, kExitOk);
  }

 private:
  bool meddle(const std::string& sql) const {
    return storage::test::meddle(sandbox_->database().toStdString(), sql);
  }
};

BATCHSCOPE_TEST(TestStore)
#include "test_store.moc"
