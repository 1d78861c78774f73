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
    // ssh -T OPTION .. -- HOST COMMAND
    const QByteArray here = sandbox_->path("").toUtf8();
    program("ssh", "while [ \"$1\" != -- ]; do shift; done\necho \"$2\" >> " + here +
                       "/hosts\ncase \"$3\" in exec*) echo $$ > " + here + "/ssh.pid;; *) echo \"$3\" >> " +
                       here + "/asked;; esac\n[ ! -e " + here + "/broken ] || exit 255\nexec sh -c \"$3\"\n");
    program("squeue",
            "[ ! -e " + here + "/away ] || { echo no controller >&2; exit 1; }\ncat " + here + "/queue");
    program(
        "scontrol",
        "case \"$*\" in 'show config') echo 'ClusterName             = tiny';; *) echo scontrol \"$@\" >> " +
            here + "/told;; esac");
    program("scancel", "echo scancel \"$@\" >> " + here + "/told");
    program("sbatch", "echo sbatch \"$@\" >> " + here + "/told; echo 14");
    queue("");
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
    auto follower = desk_->prepare({"follow", "login:" + folder_}, variables());
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
          follower = desk_->prepare({"follow", "login:" + folder_}, variables());
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
      VERIFY_REFUSED(kExitConflict, "does not train on this machine, but on login", desk_->ask(command));
    }
    storage::Origins(desk_->database().toStdString()).set_control(id_.toStdString(), {"echo", "it's"});
    QCOMPARE(desk({"rescale", id_, "2", "--json"}).out, "it's rescale " + id_ + " 2 --json\n");
    QCOMPARE(follow("login:" + folder_, {"--once"}).code, kExitOk);
    QCOMPARE(desk({"stop", id_}).out, "it's stop " + id_ + "\n");  // it is kept
    QCOMPARE(desk({"cancel", id_}).out, "it's cancel " + id_ + "\n");
    QCOMPARE(desk({"hold", id_, "--json"}).out, "it's hold " + id_ + " --json\n");
    VERIFY_REFUSED(kExitConflict, "scontrol update JobId", desk({"priority", id_, "2"}));
    VERIFY_REFUSED(kExitConflict, "import --run-folder", desk({"fork", id_}));
    end(*writer);
  }

  // Nobody followed it any more.
  void whoResumesItFollowsItAgain() {
    const auto writer = record();
    QVERIFY(awaitRecord("loss"));
    QCOMPARE(follow("login:" + folder_, {"--once"}).code, kExitOk);
    storage::Origins(desk_->database().toStdString()).set_control(id_.toStdString(), {"echo", "it's"});
    QCOMPARE(desk({"resume", "latest", "--detach"}).out, "it's resume " + id_ + " --detach\n");
    end(*writer);
    QVERIFY(awaitState("finished"));
    QCOMPARE(exported(*desk_), exported(*sandbox_));
  }

  void aRunThatNobodyHearsOfIsNotSaidToTrain() {
    const auto writer = record();
    QVERIFY(awaitRecord("loss"));
    QCOMPARE(follow(folder_, {"--once"}).code, kExitOk);
    VERIFY_HOLDS(desk({"ls"}).out, "running");
    const std::string heard = desk_->path("runs/" + id_ + "/heard").toStdString();
    std::filesystem::last_write_time(heard,
                                     std::filesystem::file_time_type::clock::now() - std::chrono::minutes(2));
    VERIFY_HOLDS(desk({"ls"}).out, "last heard ");
    VERIFY_HOLDS(desk({"show", id_}).out, "last heard ", "batchscope follow ");
    QVERIFY(!desk({"ls"}).out.contains("running"));
    end(*writer);
    QCOMPARE(follow(folder_, {"--once"}).code, kExitOk);
    VERIFY_HOLDS(desk({"ls"}).out, "finished");
  }

  // Before its first job has begun, between two, and when none goes on.
  void aRunThatWaitsSaysWhy_data() { testing::rows("host", {"", "login:"}); }

  void aRunThatWaitsSaysWhy() {
    QFETCH(QString, host);
    makeJobFolder();
    queue("NAME|12|PENDING|Resources|2030-01-02T03:04:05|gpu||1-3");
    const Answer answer = follow(host + folder_, {"--once", "--json"});
    QVERIFY2(answer.code == kExitOk, qPrintable(answer.err));
    QCOMPARE(answer.json()["state"].toString(), "pending");
    for (const char* command : {"ls", "queue", "show latest"}) {
      const QString told = desk(QString(command).split(' ')).out;
      VERIFY_HOLDS(told, "job 12 on tiny, partition gpu: no nodes are free for it yet (Resources)");
      VERIFY_HOLDS(told, "expected to start at 2030-01-02 03:04:05");
      VERIFY_HOLDS(told, "pending");
    }
    const QJsonObject listed = desk({"queue", "--json"}).json()["elsewhere"].toArray()[0].toObject();
    QCOMPARE(listed["origin"].toObject()["job"].toObject()["reason"].toString(), "Resources");

    const auto follower = desk_->prepare({"follow", host + folder_}, variables());
    follower->start();
    const auto writer = record();
    queue("NAME|12|RUNNING|None|2030-01-02T03:04:05|gpu|n[1-2]|2\nNAME|13|PENDING|Dependency|N/A|gpu||1");
    QVERIFY(awaitState("running"));
    QVERIFY(awaitTold("job 12 on tiny, partition gpu, n[1-2]"));
    QVERIFY(desk_->runs()[0].toObject()["devices"].toArray()[0].toString().endsWith("/cpu:0"));
    queue("NAME|13|PENDING|Priority|N/A|gpu||1");
    end(*writer, protocol::RunState::stopped);
    QVERIFY(awaitState("pending"));
    QCOMPARE(desk_->runs()[0].toObject()["devices"].toArray().size(), 0);
    queue("");
    const Answer last = Sandbox::finish(*follower);
    QCOMPARE(last.code, kExitOk);
    VERIFY_HOLDS(last.out, "is stopped");
    VERIFY_HOLDS(last.err, "jobs with higher priority go first (Priority)");
    VERIFY_HOLDS(desk({"ls"}).out, "on tiny");
  }

  void aJobThatEndsWithoutAWordInterruptsItsRun() {
    makeJobFolder();
    const auto writer = record();
    QVERIFY(awaitRecord("loss"));
    const Answer answer = follow(folder_);
    QCOMPARE(answer.code, kExitOk);
    VERIFY_HOLDS(answer.out, "is interrupted");
    end(*writer);
  }

  // A run is not over because its controller is away, or its host cannot be reached.
  void whoDoesNotAnswerIsAskedAgain() {
    makeJobFolder();
    queue("NAME|12|RUNNING|None|N/A|gpu|n1|1");
    write("broken", "");
    const auto follower = desk_->prepare({"follow", "login:" + folder_}, variables());
    follower->start();
    const auto writer = record();
    QVERIFY(QTest::qWaitFor([&] { return contents("asked").count("--state") > 1; }, Sandbox::kPatienceMs));
    write("away", "");
    QFile::remove(sandbox_->path("broken"));
    QVERIFY(awaitState("running"));
    QFile::remove(sandbox_->path("away"));
    QVERIFY(awaitTold("job 12 on tiny"));
    end(*writer);
    const Answer answer = Sandbox::finish(*follower);
    QCOMPARE(answer.code, kExitOk);
    VERIFY_HOLDS(answer.out, "is finished");
    VERIFY_HOLDS(answer.err, "Slurm's state of the job is not known");
    QCOMPARE(exported(*desk_), exported(*sandbox_));
  }

  // Commands go by Slurm's own means, over the same ssh.
  void aRunThatWaitsIsStoppedHeldAndResumed() {
    makeJobFolder();
    queue("NAME|12|PENDING|Resources|N/A|gpu||1");
    QCOMPARE(follow("login:" + folder_, {"--once"}).code, kExitOk);
    VERIFY_HOLDS(desk({"stop", id_}).out, "job 12 is cancelled");
    VERIFY_HOLDS(desk({"hold", id_}).out, "job 12 is held");
    VERIFY_HOLDS(desk({"release", id_, "--json"}).out, "\"slurm_job\":\"12\"");
    VERIFY_REFUSED(kExitConflict, "waits as job 12", desk({"rescale", id_, "2"}));
    VERIFY_REFUSED(kExitConflict, "job 12 goes on", desk({"resume", id_}));
    queue("");
    VERIFY_HOLDS(desk({"resume", id_, "--replicas", "3"}).out, "submitted as job 14");
    VERIFY_REFUSED(kExitConflict, "no job trains the run", desk({"checkpoint", id_}));
    QCOMPARE(contents("told"), "scancel --name=batchscope-" + id_.toUtf8() +
                                   "\nscontrol hold 12\nscontrol release 12\nsbatch --parsable " +
                                   (folder_ + "/job.sh\n").toUtf8());
    QCOMPARE(testing::contents((folder_ + "/replicas").toStdString()), std::string("3\n"));
    QVERIFY(!contents("hosts").contains("batchscope"));
  }

  void refusesPlacesThatAreNone() {
    for (const QString& place : {"-oProxyCommand=x:" + folder_, "login:-f/" + id_, ":" + folder_,
                                 QString("login:/a/nosuch"), QString("login:/a\n/") + id_})
      VERIFY_THROWS("usage", "is not the place of a run", RecordPlace::parse(place.toStdString()));
    VERIFY_REFUSED(kExitUsage, "is not the place of a run", desk_->ask({"follow", "login:-f/" + id_}));
    QVERIFY(desk_->ask({"follow", "--once", folder_}).code != kExitOk);
    const Answer answer = follow("login:" + folder_, {"--once"});
    QCOMPARE(answer.code, kExitFailure);
    VERIFY_HOLDS(answer.err, "login");
    VERIFY_REFUSED(kExitConflict, "trains here", ask({"follow", "--once", folder_}));
    QCOMPARE(QFile::exists(sandbox_->path("hosts")), true);
  }

 private:
  // Returns variables by which our programs are found, and stand-ins for ssh's and Slurm's.
  QMap<QString, QString> variables() const {
    return {{"BATCHSCOPE_SSH", sandbox_->path("ssh")},
            {"BATCHSCOPE_SLURM_INTERVAL", "0.3"},
            {"PATH", sandbox_->path("") + ":" + Sandbox::ourPath()}};
  }
  Answer desk(const QStringList& arguments) const { return desk_->ask(arguments, variables()); }
  Answer follow(const QString& place, const QStringList& more = {}) const {
    return desk(QStringList{"follow", place} + more);
  }
  void program(const QString& name, const QByteArray& text) const {
    write(name, "#!/bin/sh\n" + text + "\n");
    QFile::setPermissions(sandbox_->path(name), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
  }
  // Sets squeue's answer, whole at any moment.
  void queue(const QByteArray& lines) const {
    write("queue.new", QByteArray(lines).replace("NAME", "batchscope-" + id_.toUtf8()) + '\n');
    std::filesystem::rename(sandbox_->path("queue.new").toStdString(), sandbox_->path("queue").toStdString());
  }
  void makeJobFolder() const {
    storage::keep_spec(folder_.toStdString(), catalogue().run(id_.toStdString())->spec);
    testing::write_file((folder_ + "/job.sh").toStdString(), "#!/bin/sh\n");
    std::filesystem::permissions(folder_.toStdString(), std::filesystem::perms::owner_all);
    catalogue().lease_devices(id_.toStdString(),
                              [](const auto&, const auto&) { return std::vector<std::string>{"cpu:0"}; });
  }
  bool awaitState(const QString& state) const {
    return QTest::qWaitFor(
        [&] {
          const QJsonArray runs = desk_->runs();
          return !runs.isEmpty() && runs[0].toObject()["state"].toString() == state;
        },
        Sandbox::kPatienceMs);
  }
  bool awaitTold(const char* text) const {
    return QTest::qWaitFor([&] { return desk({"ls"}).out.contains(text); }, Sandbox::kPatienceMs);
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
  void end(QProcess& writer, protocol::RunState state = protocol::RunState::finished) const {
    catalogue().release_devices(id_.toStdString());
    catalogue().set_state(id_.toStdString(), state);
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
