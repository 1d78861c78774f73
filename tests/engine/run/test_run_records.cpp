// SPDX-License-Identifier: Apache-2.0
//
// A supervisor keeps and says more of a run than its steps: logs that cannot be written, checkpoints that
// nobody told of or that stay in memory, and devices that are free again.
#include <sys/resource.h>

#include <algorithm>

#include "batchscope/protocol/manifest.h"
#include "batchscope/run/end_notice.h"
#include "batchscope/run/machine.h"
#include "batchscope/run/pool.h"
#include "batchscope/storage/samples.h"
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

  std::string start_with_memory() {
    qputenv("BATCHSCOPE_SHM", file("").c_str());
    std::string id = start(played(1));
    qunsetenv("BATCHSCOPE_SHM");
    return id;
  }
  // Writes a checkpoint as this replica makes it, and returns its link.
  static fs::path write_to_memory(const std::string& id, const PlayedReplica& replica) {
    const fs::path memory = fs::path(replica.variable("BATCHSCOPE_MEMORY_PATH")) / "checkpoint-000001",
                   link = protocol::run_paths(id).checkpoints / "checkpoint-000001";
    protocol::Manifest manifest;
    manifest.files = {{"model", 9, {}}};
    testing::write_file(memory / "model", "the state");
    protocol::write_manifest(memory, manifest);
    fs::create_directory_symlink(memory, link);
    return link;
  }

 private Q_SLOTS:
  void init() { begin(); }
  void cleanup() { end(); }

  // A supervisor says once what is wrong with a machine or a disk, and not with each generation.
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
    const std::string id = start_with_memory();
    const PlayedReplica a(file(""), 0, 0);
    fs::remove(write_to_memory(id, a) / "model");
    a.exit(0);
    VERIFY_RUN(reaches(id, RunState::finished));
    QCOMPARE(times_told(id, "checkpoint-000001 stays in memory, and would be lost with the machine"), 1);
  }

  void aCheckpointThatStaysInMemoryIsTriedAgain() {
    const std::string id = start_with_memory();
    const PlayedReplica a(file(""), 0, 0);
    const fs::path checkpoint = write_to_memory(id, a);
    fs::rename(checkpoint / "model", file("model"));
    a.say_hello(t_);
    a.make_step(1, t_);
    VERIFY_RUN(tells(id, "checkpoint-000001 stays in memory"));
    fs::rename(file("model"), checkpoint / "model");
    VERIFY_RUN(tells(id, "checkpoint-000001 is on disk now"));
    a.exit(0);
    VERIFY_RUN(reaches(id, RunState::finished));
  }

  // When a restart has its first step, the processors have time for that.
  void aCheckpointInMemoryGoesToDiskWithTheFirstStep() {
    const std::string id = start_with_memory();
    const PlayedReplica a(file(""), 0, 0);
    const fs::path checkpoint = write_to_memory(id, a);
    a.say_hello(t_);
    a.tell(protocol::Notice{"info", "so far", 0});
    VERIFY_RUN(tells(id, "so far"));
    QVERIFY(fs::is_symlink(checkpoint));
    a.make_step(1, t_);
    QVERIFY(eventually([&] { return !fs::is_symlink(checkpoint) && fs::exists(checkpoint / "model"); }));
    ask(id, Command::stop);
    a.exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
  }

  // A run that rests may do so for longer than its machine is up.
  void aCheckpointInMemoryIsOnDiskWhenARunRests() {
    const std::string id = start_with_memory();
    const PlayedReplica a(file(""), 0, 0);
    a.say_hello(t_);
    a.make_step(1, t_);
    VERIFY_RUN(comes_to(id, RunState::running));
    const fs::path checkpoint = write_to_memory(id, a);
    ask(id, Command::pause);
    a.exit(143);
    VERIFY_RUN(comes_to(id, RunState::paused));
    QVERIFY(!fs::is_symlink(checkpoint) && fs::exists(checkpoint / "model"));
    ask(id, Command::stop);
    VERIFY_RUN(reaches(id, RunState::stopped));
  }

  // Training goes on while nothing can be written, and what was told meanwhile is kept for then.
  void whatCannotBeRecordedIsRecordedLater() {
    const std::string id = start(played(1));
    ControlClient client(id);
    QStringList notices;
    connect(&client, &ControlClient::eventAdded, this,
            [&](const QString& level, const QString& text) { notices << level + ": " + text; });
    QTRY_VERIFY(client.connected());
    const PlayedReplica a(file(""), 0, 0);
    a.say_hello(t_);
    a.make_step(1, t_);
    VERIFY_RUN(comes_to(id, RunState::running));
    const pid_t process = supervisor(id);
    rlimit before{};
    const rlimit full{1, RLIM_INFINITY};
    QCOMPARE(prlimit(process, RLIMIT_FSIZE, &full, &before), 0);
    a.make_step(2, t_ + 1, {{"loss", 0.5}});
    const QString trouble = QStringLiteral("error: the run's records cannot be written, training goes on: ");
    QTRY_VERIFY(!notices.filter(trouble).isEmpty());
    QVERIFY(!notices.filter(trouble).first().contains("the disk at"));  // which has room
    QCOMPARE(prlimit(process, RLIMIT_FSIZE, &before, nullptr), 0);
    VERIFY_RUN(tells(id, "they are recorded again, and none is missing"));
    QCOMPARE(times_told(id, " could not be written for 0 s"), 0);  // a second that has begun counts
    ask(id, Command::stop);
    a.exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
    QCOMPARE(storage::SampleReader(protocol::run_paths(id).samples).read("loss", 0).size(), 1u);
    QVERIFY(times_told(id, "they are recorded again") <= 2);  // the series, and events and states
  }

  // As large as the last one.
  void aDiskWithoutRoomForACheckpointIsToldOf() {
    const std::string id = start(played(1));
    const PlayedReplica a(file(""), 0, 0);
    a.say_hello(t_);
    protocol::CheckpointWritten written{"checkpoint-000001", "periodic", 1, 0, 0, 9, t_, t_, t_};
    written.bytes = std::int64_t{1} << 50;
    a.tell(written);
    VERIFY_RUN(tells(id, "no room for another checkpoint, and soon none for the run's record: the disk at "));
    a.exit(0);
    VERIFY_RUN(reaches(id, RunState::finished));
  }

  // The time between two generations is no training.
  void theTimeThatRemainsIsThatOfTraining() {
    const std::string id = start(played(1));
    {
      const PlayedReplica a(file(""), 0, 0);
      a.say_hello(t_);
      a.make_step(1, t_);
      a.tell(protocol::Position{0, 1, "train", 0, 0, t_});
      a.tell(protocol::Position{0, 1, "train", 0.25, 1, t_ + 10});
      VERIFY_RUN(comes_to(id, [](const protocol::RunStatus& now) { return now.remaining == 30; }));
      a.exit(1);
    }
    const PlayedReplica b(file(""), 1, 0);
    b.say_hello(t_ + 500);
    b.make_step(2, t_ + 500);
    b.tell(protocol::Position{0, 1, "train", 0.25, 1, t_ + 500});
    b.tell(protocol::Position{0, 1, "train", 0.5, 1, t_ + 510});
    VERIFY_RUN(comes_to(id, [](const protocol::RunStatus& now) { return now.total_fraction == 0.5; }));
    QCOMPARE(status(id).remaining, 20.0);
    ask(id, Command::stop);
    b.exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
  }

  // It is started once more, with the place of no replica.
  void aProgramThatServesIsLoadedAhead() {
    const std::string id = start(played(1));
    const PlayedReplica a(file(""), 0, 0);
    a.say_hello(t_, [](protocol::Hello& hello) { hello.serves = true; });
    QVERIFY(eventually([&] { return fs::exists(file("begun..")); }));
    VERIFY_HOLDS(testing::contents(file("variables..")), "BATCHSCOPE_FORK_SERVER=3\n");
    a.exit(0);
    VERIFY_RUN(reaches(id, RunState::finished));
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

  void aPersonsNumberIsNotChosenAgain() {
    protocol::RunSpec spec = played(2);
    spec.auto_replicas = protocol::AutoReplicas{1, 4};
    for (const int number : {0, 1}) {
      const std::string folder = file(std::to_string(number));
      fs::create_directory(folder);
      spec.working_directory = folder;
      const std::string id = catalogue().create_run(spec);
      spawn_supervisor(id, number, {});
      const PlayedReplica a(folder, 0, 0);
      QCOMPARE(status(id).auto_replicas, number == 0 ? "auto:1-4" : "");
      QVERIFY(eventually(
          [&] { return times_told(id, "auto is off: the number of replicas stays as it is") == number; }));
      const int replicas = status(id).replicas;
      ask(id, Command::stop);
      a.exit(143);
      if (replicas == 2) PlayedReplica(folder, 0, 1).exit(143);
      VERIFY_RUN(reaches(id, RunState::stopped));
    }
  }

  // Whoever is there sees to it.
  void thePoolIsCalledWhileARunRests() {
    const std::string id = start(played(1));
    const PlayedReplica a(file(""), 0, 0);
    a.say_hello(t_);
    a.make_step(1, t_);
    VERIFY_RUN(comes_to(id, RunState::running));
    ask(id, Command::pause);
    a.exit(143);
    VERIFY_RUN(comes_to(id, RunState::paused));
    catalogue().submit_run(played(1), {});
    QVERIFY(eventually([] { return kPool.alive(); }));
    fs::remove(kPool.lock_path());  // at which it ends
    ask(id, Command::stop);
    VERIFY_RUN(reaches(id, RunState::stopped));
  }

  // A run that ends leaves its devices to whoever waits in the queue.
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
