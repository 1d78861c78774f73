// SPDX-License-Identifier: Apache-2.0
//
// Periodic checkpoints with real processes: a crash costs little, and nothing that happens to the one that is
// being written harms training or the checkpoints before it.
#include <signal.h>

#include <QDir>
#include <thread>

#include "batchscope/protocol/manifest.h"
#include "checkpoint/background_writer.h"
#include "replicas.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::replica;
using batchscope::testing::Replica;
using protocol::Json;

namespace {

constexpr char kAlways[] = "0.000001";  // due at every step at which nothing is being written

class Job {
 public:
  std::vector<Replica> generation(int replicas, const QStringList& more, const char* interval = kAlways,
                                  const std::string& triggers = {}) {
    const QStringList arguments{"--dataset", "200", "--batch", "10", "--epochs", "1"};
    return batchscope::testing::run({.program = "train-loop-program",
                                     .arguments = arguments + more,
                                     .replicas = replicas,
                                     .variables = {{protocol::variable::kCheckpointPath, path()},
                                                   {protocol::variable::kCheckpointInterval, interval},
                                                   {protocol::variable::kTriggers, triggers}},
                                     .generation = generation_++});
  }

  std::string path() const { return directory_.filePath("checkpoints").toStdString(); }
  std::vector<std::filesystem::path> checkpoints() const { return protocol::list_checkpoints(path()); }
  QStringList half_written() const {
    return QDir(QString::fromStdString(path())).entryList({"*.partial"}, QDir::Dirs);
  }

 private:
  QTemporaryDir directory_;
  int generation_ = 0;
};

int steps_of(const Replica& replica) { return static_cast<int>(replica.output.count("\"loop\":\"train\"")); }

}  // namespace

class TestPeriodicCheckpoint : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_crash_goes_back_to_the_last_one_data() {
    QTest::addColumn<int>("replicas");
    QTest::newRow("one replica") << 1;
    QTest::newRow("two replicas") << 2;
  }
  void a_crash_goes_back_to_the_last_one() {
    QFETCH(int, replicas);
    Job job;
    QCOMPARE(job.generation(replicas, {"--signal", "15:0", "--crash", "--await"})[0].code, -1);
    QVERIFY(!job.checkpoints().empty());
    QVERIFY(job.checkpoints().size() <= 3);  // the last two, and the one that they are removed after
    const auto newest = protocol::verify_checkpoint(job.checkpoints().front());
    QCOMPARE(newest.reason, std::string("periodic"));
    QVERIFY(!newest.pinned);
    QVERIFY(newest.step > 0 && newest.step < 15);
    const auto after = job.generation(2, {});
    VERIFY_ENDED(after);
    for (const Replica& replica : after) QCOMPARE(steps_of(replica), 20 - static_cast<int>(newest.step));
    QCOMPARE(after[0].said.at("steps").get<int>(), 20);
    QCOMPARE(after[0].said.at("samples").get<int>(), 200);
  }

  void a_writer_killed_half_way_leaves_the_one_before() {
    Job job;
    const QStringList ballast{"--ballast", "300000", "--step-ms", "20"};
    QCOMPARE(job.generation(1, ballast + QStringList{"--kill-in-write", "2"})[0].code, -1);
    QCOMPARE(job.checkpoints().size(), 1u);
    QCOMPARE(job.half_written().size(), 1);
    const auto good = protocol::verify_checkpoint(job.checkpoints().front());
    const auto after = job.generation(1, ballast);
    VERIFY_ENDED(after);
    QCOMPARE(steps_of(after[0]), 20 - static_cast<int>(good.step));
    QVERIFY(job.half_written().isEmpty());
  }

  void a_full_disk_is_a_notice_and_training_goes_on() {
    Job job;
    const auto full = job.generation(1, {"--ballast", "100000", "--step-ms", "50", "--full-from", "0"});
    VERIFY_ENDED(full);
    QCOMPARE(steps_of(full[0]), 20);
    QVERIFY(job.checkpoints().empty());
    QVERIFY(job.half_written().isEmpty());
    // Once, not at every try; that of the end is told by itself.
    QCOMPARE(full[0].errors.count("no periodic checkpoint; training goes on"), 1);
    QVERIFY2(full[0].errors.contains("cannot write"), full[0].errors.constData());
  }

  void checkpoints_are_made_again_when_there_is_room() {
    Job job;
    const auto replicas = job.generation(
        1, {"--ballast", "100000", "--step-ms", "50", "--full-from", "0", "--full-until", "10"});
    VERIFY_ENDED(replicas);
    QCOMPARE(job.checkpoints().size(), 2u);  // the one before that of the end
    const auto periodic = protocol::verify_checkpoint(job.checkpoints().back());
    QCOMPARE(periodic.reason, std::string("periodic"));
    QVERIFY(periodic.step >= 10);
    QVERIFY2(replicas[0].errors.contains("can be written again"), replicas[0].errors.constData());
  }

  void a_planned_one_overtakes_the_one_in_flight() {
    Job job;
    const std::string triggers = R"(["step=5:stop"])";
    const auto stopped =
        job.generation(2, {"--ballast", "1000", "--write-ms", "300", "--step-ms", "1"}, kAlways, triggers);
    for (const Replica& replica : stopped) QCOMPARE(replica.code, 143);
    const auto newest = protocol::verify_checkpoint(job.checkpoints().front());
    QCOMPARE(newest.reason, std::string("trigger"));
    QCOMPARE(newest.step, 5);
    QVERIFY(job.half_written().isEmpty());
    VERIFY_ENDED(job.generation(1, {}, kAlways, triggers));
  }

  void the_interval_can_be_switched_off_and_is_checked() {
    Job job;
    VERIFY_ENDED(job.generation(2, {}, "0"));
    QCOMPARE(job.checkpoints().size(), 1u);  // at the end
    const auto refused = job.generation(1, {}, "-3");
    QCOMPARE(refused[0].code, 2);
    QVERIFY2(refused[0].errors.contains("BATCHSCOPE_CHECKPOINT_INTERVAL=-3"), refused[0].errors.constData());
  }

  void the_writer_is_overtaken_or_has_finished() {
    BackgroundWriter writer;
    bool gave_up = false;
    writer.start([&] {
      while (!writer.overtaken()) std::this_thread::yield();
      gave_up = true;
    });
    QVERIFY(writer.busy());
    writer.overtake();
    QVERIFY(gave_up);
    QVERIFY(!writer.busy());
    bool done = false;
    writer.start([&] { done = !writer.overtaken(); });  // another one begins afresh
    writer.finish();
    QVERIFY(done);
  }
};

BATCHSCOPE_TEST(TestPeriodicCheckpoint)
#include "test_periodic_checkpoint.moc"
