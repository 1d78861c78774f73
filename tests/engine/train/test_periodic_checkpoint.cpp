// SPDX-License-Identifier: Apache-2.0
//
// Periodic checkpoints with real processes: a crash costs little, and nothing that happens to the one that is
// being written harms training or the checkpoints before it.
#include <signal.h>

#include <thread>

#include "checkpoint/background_writer.h"
#include "job.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::replica;
using namespace batchscope::testing;

namespace {

constexpr char kAlways[] = "0.000001";  // due at every step at which nothing is being written

struct PeriodicJob : Job {
  explicit PeriodicJob(const char* interval = kAlways)
      : Job("loop", {"--dataset", "200", "--batch", "10", "--epochs", "1"}) {
    variable(protocol::variable::kCheckpointInterval) = interval;
  }
  QStringList half_written() const {
    return QDir(QString::fromStdString(path("checkpoints"))).entryList({"*.partial"}, QDir::Dirs);
  }
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
    PeriodicJob job;
    QCOMPARE(job.generation(replicas, {}, {"--signal", "15:0", "--crash", "--await"})[0].code, -1);
    QVERIFY(!job.checkpoints().empty());
    QVERIFY(job.checkpoints().size() <= 3);  // the last two, and the one that they are removed after
    const auto newest = job.newest();
    QCOMPARE(newest.reason, std::string("periodic"));
    QVERIFY(!newest.pinned);
    QVERIFY(newest.step > 0 && newest.step < 15);
    const auto after = job.generation(2);
    QVERIFY(all_ended(after));
    for (const Replica& replica : after) QCOMPARE(steps_of(replica), 20 - static_cast<int>(newest.step));
    QCOMPARE(after[0].said.at("steps").get<int>(), 20);
    QCOMPARE(after[0].said.at("samples").get<int>(), 200);
  }

  void a_writer_killed_half_way_leaves_the_one_before() {
    PeriodicJob job;
    const QStringList ballast{"--ballast", "300000", "--step-ms", "20"};
    // Steps that are long enough for a second write also where the disk is slow.
    const QStringList killed{"--ballast", "300000", "--step-ms", "300", "--kill-in-write", "2"};
    QCOMPARE(job.generation(1, {}, killed)[0].code, -1);
    QCOMPARE(job.checkpoints().size(), 1u);
    QCOMPARE(job.half_written().size(), 1);
    const auto good = job.newest();
    const auto after = job.generation(1, {}, ballast);
    QVERIFY(all_ended(after));
    QCOMPARE(steps_of(after[0]), 20 - static_cast<int>(good.step));
    QVERIFY(job.half_written().isEmpty());
  }

  void a_full_disk_is_a_notice_and_training_goes_on() {
    PeriodicJob job;
    const auto full = job.generation(1, {}, {"--ballast", "100000", "--step-ms", "50", "--full-from", "0"});
    QVERIFY(all_ended(full));
    QCOMPARE(steps_of(full[0]), 20);
    QVERIFY(job.checkpoints().empty());
    QVERIFY(job.half_written().isEmpty());
    // Once, not at every try; that of the end is told by itself.
    QCOMPARE(full[0].errors.count("no periodic checkpoint; training goes on"), 1);
    QVERIFY2(full[0].errors.contains("cannot write"), full[0].errors.constData());
  }

  // Not rank 0 alone, which writes it: who sees the end must not take it for a checkpointed one.
  void a_full_disk_on_the_way_out_is_a_failure_of_all_replicas() {
    PeriodicJob job("0");
    const auto replicas =
        job.generation(2, "5:1", {"--ballast", "100000", "--step-ms", "1", "--full-from", "0"});
    QVERIFY(all_ended(replicas, 1));
    QVERIFY2(replicas[0].errors.contains("no checkpoint could be written before the end"),
             replicas[0].errors.constData());
    QVERIFY(job.checkpoints().empty());
  }

  void checkpoints_are_made_again_when_there_is_room() {
    PeriodicJob job;
    // Near the end it waits until there is one, however slow the disk is; the signal itself does nothing.
    const auto replicas =
        job.generation(1, "19:0",
                       {"--ballast", "100000", "--step-ms", "50", "--full-from", "0", "--full-until", "10",
                        "--signal-number", QString::number(SIGWINCH), "--await"});
    QVERIFY(all_ended(replicas));
    QCOMPARE(job.checkpoints().size(), 2u);  // the one before that of the end
    const auto periodic = protocol::verify_checkpoint(job.checkpoints().back());
    QCOMPARE(periodic.reason, std::string("periodic"));
    QVERIFY(periodic.step >= 10);
    QVERIFY2(replicas[0].errors.contains("can be written again"), replicas[0].errors.constData());
  }

  void a_planned_one_overtakes_the_one_in_flight() {
    PeriodicJob job;
    const std::string triggers = R"(["step=5:stop"])";
    const auto stopped =
        job.generation(2, {}, {"--ballast", "1000", "--write-ms", "300", "--step-ms", "1"}, triggers);
    for (const Replica& replica : stopped) QCOMPARE(replica.code, 143);
    const auto newest = job.newest();
    QCOMPARE(newest.reason, std::string("trigger"));
    QCOMPARE(newest.step, 5);
    QVERIFY(job.half_written().isEmpty());
    QVERIFY(all_ended(job.generation(1, {}, {}, triggers)));
  }

  void the_interval_can_be_switched_off_and_is_checked() {
    PeriodicJob never("0");
    QVERIFY(all_ended(never.generation(2)));
    QCOMPARE(never.checkpoints().size(), 1u);  // at the end
    const auto refused = PeriodicJob("-3").generation(1);
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
