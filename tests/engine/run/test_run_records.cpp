// SPDX-License-Identifier: Apache-2.0
//
// What a supervisor keeps and says of a run beside its steps: logs that cannot be written, checkpoints that
// nobody told of or that stay in memory, and devices that are free again.
#include <algorithm>

#include "batchscope/protocol/manifest.h"
#include "batchscope/run/end_notice.h"
#include "batchscope/run/machine.h"
#include "batchscope/run/pool.h"
#include "played_run.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::RunState;
using Command = protocol::Request::Command;
namespace fs = std::filesystem;

class TestRunRecords : public PlayedRun {
  Q_OBJECT

  const double t_ = later();

  std::ptrdiff_t times_told(const std::string& id, const std::string& part) {
    const auto events = catalogue().events(id);
    return std::count_if(events.begin(), events.end(),
                         [&](const auto& event) { return testing::holds(event.text, part); });
  }

 private Q_SLOTS:
  void init() { begin(); }
  void cleanup() { end(); }

  // What is wrong with a machine or a disk is said once, and not with each generation.
  void warningsOfGenerationsAreTold() {
    const int replicas = static_cast<int>(Machine::here().cores.size()) + 1;
    const std::string id = start(played(replicas));
    const fs::path log = protocol::run_paths(id).log_file(1, 0);
    for (int rank = 0; rank < replicas; ++rank) {
      const PlayedReplica replica(file(""), 0, rank);
      if (rank == 0) {
        replica.say_hello(t_);
        replica.make_step(1, t_);
        VERIFY_RUN(comes_to(id, RunState::running));
        fs::create_directory(log);
      }
      replica.exit(1);
    }
    const PlayedReplica a(file(""), 1, 0);
    VERIFY_RUN(tells(id, log.string() + " cannot be written: what the replicas print is lost"));
    ask(id, Command::stop);
    for (int rank = 0; rank < replicas; ++rank) PlayedReplica(file(""), 1, rank).exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
    QCOMPARE(times_told(id, " will wait for one another"), 1);
    QCOMPARE(times_told(id, " cannot be written"), 1);
  }

  // A replica may be killed before it has told.
  void aCheckpointThatNobodyToldOfIsListed() {
    const std::string id = start(played(1));
    {
      const PlayedReplica a(file(""), 0, 0);
      a.say_hello(t_);
      a.make_step(1, t_);
      VERIFY_RUN(comes_to(id, RunState::running));
      StoredRuns::write_checkpoint(id, 1, 1);
      ask(id, Command::pause);
      a.exit(143);
    }
    VERIFY_RUN(comes_to(id, RunState::paused));
    QVERIFY(eventually([&] { return catalogue().checkpoints(id).size() == 1; }));
    ask(id, Command::stop);
    VERIFY_RUN(reaches(id, RunState::stopped));
  }

  void aCheckpointThatStaysInMemoryIsToldOf() {
    qputenv("BATCHSCOPE_SHM", file("").c_str());
    const std::string id = start(played(1));
    qunsetenv("BATCHSCOPE_SHM");
    const PlayedReplica a(file(""), 0, 0);
    const fs::path memory = a.variable("BATCHSCOPE_MEMORY_PATH");
    QVERIFY(memory.string().starts_with(file("")));
    protocol::Manifest manifest;
    manifest.files = {{"model", 9, {}}};
    fs::create_directory(memory / "checkpoint-000001");
    protocol::write_manifest(memory / "checkpoint-000001", manifest);
    fs::create_directory_symlink(memory / "checkpoint-000001",
                                 protocol::run_paths(id).checkpoints / "checkpoint-000001");
    a.exit(0);
    VERIFY_RUN(reaches(id, RunState::finished));
    QCOMPARE(times_told(id, "checkpoint-000001 stays in memory, and would be lost with the machine"), 1);
  }

  void theEndIsAnnounced() {
    protocol::RunSpec spec = played(1);
    spec.environment[kNotify] = "printf %s > '" + file("told") + "'";
    const std::string id = start(spec);
    PlayedReplica(file(""), 0, 0).exit(0);
    QVERIFY(eventually([&] {
      return fs::exists(file("told")) && testing::contents(file("told")) == "scenario (" + id + ") finished";
    }));
  }

  // Whoever waits in the queue may have what a run leaves behind.
  void thePoolIsCalledWhenARunEnds() {
    const std::string id = start(played(1));
    const PlayedReplica a(file(""), 0, 0);
    QVERIFY(!kPool.alive());
    catalogue().submit_run(played(1), {});
    a.exit(0);
    VERIFY_RUN(reaches(id, RunState::finished));
    QVERIFY(eventually([] { return kPool.alive(); }));
    fs::remove(kPool.lock_path());  // at which it ends
  }
};

BATCHSCOPE_TEST(TestRunRecords)
#include "test_run_records.moc"
