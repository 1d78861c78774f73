// SPDX-License-Identifier: Apache-2.0
//
// follow: a run that trains elsewhere in this store, over a connection that breaks. A script stands in for
// ssh.
#include <signal.h>

#include <filesystem>
#include <random>

#include "batchscope/storage/origins.h"
#include "command_test.h"
#include "follow/record_tail.h"
#include "rows.h"

using namespace batchscope;
using namespace batchscope::cli;

class TestFollow : public CommandTest {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    newSandbox();
    id_ = makeBusyRun(20);
    desk_ = std::make_unique<Sandbox>();
    folder_ = sandbox_->path("it's shared/" + id_);
    QVERIFY(QDir().mkpath(folder_));
    // ssh -T -o OPTION HOST COMMAND
    write("ssh", "#!/bin/sh\necho \"$4\" >> " + sandbox_->path("hosts").toUtf8() + "\necho $$ > " +
                     sandbox_->path("ssh.pid").toUtf8() + "\nexec sh -c \"$5\"\n");
    QFile::setPermissions(sandbox_->path("ssh"), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
  }

  void takesWhatIsThereOnce_data() { testing::rows("host", {"", "login:"}); }

  void takesWhatIsThereOnce() {
    QFETCH(QString, host);
    const auto writer = record();
    QVERIFY(awaitRecord("loss"));
    const Answer answer = follow(host + folder_, {"--once", "--json"});
    QVERIFY2(answer.code == kExitOk, qPrintable(answer.err));
    QCOMPARE(answer.json()["state"].toString(), "running");
    QCOMPARE(answer.json()["samples"].toInt(), 23);
    QCOMPARE(desk_->runs()[0].toObject()["state"].toString(), "running");
    QCOMPARE(follow(host + folder_, {"--once", "--json"}).json()["samples"].toInt(), 0);
    end(*writer);
    QCOMPARE(follow(host + folder_, {"--json"}).json()["state"].toString(),
             "finished");  // and ends by itself
    QCOMPARE(exported(*desk_), exported(*sandbox_));
    QVERIFY(follow(host + folder_, {"--json"}).code == kExitOk);
    VERIFY_HOLDS(desk_->ask({"show", id_}).out, (host + folder_).toUtf8().constData());
  }

  // The connection, the follower and the writer are killed at random moments.
  void breaksAndGoesOn() {
    std::mt19937 random(3);
    auto writer = record();
    auto follower = desk_->prepare({"follow", "login:" + folder_}, ssh());
    follower->start();
    storage::Catalogue catalogue = this->catalogue();
    for (int i = 0; i < 30; ++i) {
      catalogue.add_event(id_.toStdString(), 1, 20, "info", "number " + std::to_string(i));
      {
        storage::SampleWriter samples(sandbox_->samples(id_).toStdString());
        for (int k = 0; k < 40; ++k) samples.append(1, "more", 40 * i + k, 0.1 * k);
      }
      QTest::qWait(20 + static_cast<int>(random() % 200));
      switch (random() % 5) {
        case 0:
          if (const int pid = contents("ssh.pid").trimmed().toInt(); pid > 0) ::kill(pid, SIGKILL);
          break;
        case 1: {
          follower->kill();
          QVERIFY(follower->waitForFinished());
          follower = desk_->prepare({"follow", "login:" + folder_}, ssh());
          follower->start();
          break;
        }
        case 2:
          writer->kill();
          QVERIFY(writer->waitForFinished());
          writer = record();
          break;
        default: break;
      }
    }
    end(*writer);
    const Answer answer = Sandbox::finish(*follower);
    QVERIFY2(answer.code == kExitOk, qPrintable(answer.err));
    VERIFY_HOLDS(answer.out, "finished");
    QCOMPARE(exported(*desk_), exported(*sandbox_));
    QVERIFY(contents("hosts").startsWith("login\n"));
  }

  void whatIsAskedOfItIsHandedOn() {
    const auto writer = record();
    QVERIFY(awaitRecord("loss"));
    QCOMPARE(follow("login:" + folder_, {"--once"}).code, kExitOk);
    for (const QStringList& command : QList<QStringList>{{"rescale", id_, "2"},
                                                         {"stop", id_},
                                                         {"pause", id_},
                                                         {"checkpoint", id_},
                                                         {"attach", id_},
                                                         {"resume", id_, "--detach"}}) {
      VERIFY_REFUSED(kExitConflict, "it trains on login", desk_->ask(command));
    }
    storage::Origins(desk_->database().toStdString()).set_control(id_.toStdString(), {"echo", "asked"});
    QCOMPARE(desk_->ask({"rescale", id_, "2", "--json"}).out, "asked rescale " + id_ + " 2 --json\n");
    QCOMPARE(desk_->ask({"resume", "latest", "--detach"}).out, "asked resume " + id_ + " --detach\n");
    QCOMPARE(follow("login:" + folder_, {"--once"}).code, kExitOk);
    QCOMPARE(desk_->ask({"stop", id_}).out, "asked stop " + id_ + "\n");  // it is kept
    end(*writer);
  }

  void refusesPlacesThatAreNone() {
    for (const QString& place : {"-oProxyCommand=x:" + folder_, "login:-f/" + id_, ":" + folder_,
                                 QString("login:/a/nosuch"), QString("login:/a\n/") + id_})
      VERIFY_THROWS("usage", "is no place of a run", RecordPlace::parse(place.toStdString()));
    VERIFY_REFUSED(kExitUsage, "is no place of a run", desk_->ask({"follow", "login:-f/" + id_}));
    QVERIFY(desk_->ask({"follow", "--once", folder_}).code != kExitOk);
    const Answer answer = follow("login:" + folder_, {"--once"});
    QCOMPARE(answer.code, kExitFailure);
    VERIFY_HOLDS(answer.err, "login");
    VERIFY_REFUSED(kExitConflict, "trains here", ask({"follow", "--once", folder_}));
    QCOMPARE(QFile::exists(sandbox_->path("hosts")), true);
  }

 private:
  QMap<QString, QString> ssh() const { return {{"BATCHSCOPE_SSH", sandbox_->path("ssh")}}; }
  Answer follow(const QString& place, const QStringList& more = {}) const {
    return desk_->ask(QStringList{"follow", place} + more, ssh());
  }

  std::unique_ptr<QProcess> record() const {
    return sandbox_->start({"export", id_, "--follow", "-o", folder_ + "/record.jsonl"});
  }
  bool awaitRecord(const char* text) const {
    return QTest::qWaitFor(
        [&] {
          return testing::contents((folder_ + "/record.jsonl").toStdString()).find(text) != std::string::npos;
        },
        Sandbox::kPatienceMs);
  }
  // The run, and with it its record.
  void end(QProcess& writer) const {
    catalogue().set_state(id_.toStdString(), protocol::RunState::finished);
    catalogue().release_supervisor(id_.toStdString());
    QCOMPARE(Sandbox::finish(writer).code, kExitOk);
  }

  QString exported(const Sandbox& store) const {
    store.ask({"export", id_, "-o", "whole.jsonl", "--force"});
    QString text = QString::fromStdString(testing::contents(store.path("whole.jsonl").toStdString()));
    static const QRegularExpression eventId("\"id\":\\d+,");
    return text.remove(eventId).remove("imported:");
  }

  std::unique_ptr<Sandbox> desk_;
  QString folder_;
};

BATCHSCOPE_TEST(TestFollow)
#include "test_follow.moc"
