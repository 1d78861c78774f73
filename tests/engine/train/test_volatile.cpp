// SPDX-License-Identifier: Apache-2.0
//
// The checkpoint in memory, with a real process: the one that a restart begins with, while there is a
// supervisor to put it on disk.
#include <filesystem>
#include <thread>

#include "batchscope/protocol/volatile_checkpoint.h"
#include "job.h"
#include "listener.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::testing;
namespace fs = std::filesystem;

class TestVolatile : public QObject {
  Q_OBJECT
  std::unique_ptr<Job> job_;

  fs::path folder() const { return job_->path(""); }

  Replica replica(const std::string& triggers, const std::string& telemetry = {},
                  const fs::path& memory = {}) {
    job_->variable(protocol::variable::kMemoryPath) = memory;
    job_->variable(protocol::variable::kTelemetrySocket) = telemetry;
    return job_->generation(1, {}, {}, triggers)[0];
  }

  Replica supervised_replica(const std::string& triggers, const fs::path& memory) {
    TelemetryListener listener(folder() / "telemetry");
    std::thread supervisor([&] {
      listener.accept();
      listener.read_to_goodbye();
    });
    const Replica replica = this->replica(triggers, folder() / "telemetry", memory);
    supervisor.join();
    return replica;
  }

  fs::path newest() const { return job_->checkpoints().at(0); }

 private Q_SLOTS:
  void init() {
    job_ = std::make_unique<Job>("loop", QStringList{"--dataset", "200", "--batch", "10", "--epochs", "1"});
    fs::create_directory(folder() / "memory");
  }

  void a_restart_begins_with_one_in_memory() {
    QCOMPARE(supervised_replica(R"(["step=5:replicas=2"])", folder() / "memory").code, 143);
    QVERIFY(protocol::is_volatile(newest(), folder() / "memory"));
    QCOMPARE(protocol::verify_checkpoint(newest(), folder() / "memory").step, std::int64_t{5});
    const Replica after = replica({}, {}, folder() / "memory");
    QCOMPARE(after.code, 0);
    QCOMPARE(after.lines("weight").size(), 15u);
  }

  void one_that_is_lost_is_passed_over() {
    supervised_replica(R"(["step=3:checkpoint", "step=5:replicas=2"])", folder() / "memory");
    fs::remove_all(folder() / "memory");
    const Replica after = replica({}, {}, folder() / "memory");
    QCOMPARE(after.code, 0);
    QVERIFY2(after.errors.contains("used the one before it"), after.errors.constData());
    QCOMPARE(after.lines("weight").size(), 17u);
  }

  // A link that a person made, or somebody whose folder it leads to.
  void one_that_lies_elsewhere_is_passed_over() {
    supervised_replica(R"(["step=3:checkpoint", "step=5:replicas=2"])", folder() / "memory");
    fs::create_directory(folder() / "other");
    const Replica after = replica({}, {}, folder() / "other");
    QCOMPARE(after.code, 0);
    QVERIFY2(after.errors.contains("not to the run's own place in memory"), after.errors.constData());
    QCOMPARE(after.lines("weight").size(), 17u);
  }

  void any_other_lies_on_disk_data() {
    QTest::addColumn<QString>("triggers");
    QTest::addColumn<bool>("supervised");
    QTest::addColumn<QString>("memory");
    QTest::newRow("an end") << R"(["step=5:stop"])" << true << "memory";
    QTest::newRow("one by hand") << R"(["step=20:checkpoint"])" << true << "memory";
    QTest::newRow("nobody to put it on disk") << R"(["step=5:replicas=2"])" << false << "memory";
    QTest::newRow("no memory") << R"(["step=5:replicas=2"])" << true << "nowhere";
  }
  void any_other_lies_on_disk() {
    QFETCH(QString, triggers);
    QFETCH(bool, supervised);
    QFETCH(QString, memory);
    const fs::path place = folder() / memory.toStdString();
    supervised ? supervised_replica(triggers.toStdString(), place)
               : replica(triggers.toStdString(), {}, place);
    QVERIFY(!fs::is_symlink(newest()));
    QVERIFY(fs::is_empty(folder() / "memory"));
  }
};

BATCHSCOPE_TEST(TestVolatile)
#include "test_volatile.moc"
