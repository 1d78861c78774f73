// SPDX-License-Identifier: Apache-2.0
//
// A run's place in memory: emptied onto the disk, taken over from supervisors that were killed, and lost with
// the machine.
#include <sys/stat.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <chrono>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>

#include "batchscope/protocol/manifest.h"
#include "batchscope/protocol/volatile_checkpoint.h"
#include "open_files.h"
#include "record/volatile_checkpoints.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;
using namespace batchscope::protocol;
namespace fs = std::filesystem;

class TestVolatileCheckpoints : public QObject {
  Q_OBJECT
  std::optional<QTemporaryDir> folder_;
  RunPaths paths_;  // of our run

  fs::path folder() const { return folder_->path().toStdString(); }

  RunPaths run(const std::string& id) const {
    const RunPaths paths = run_paths(id);
    make_run_directories(paths);
    return paths;
  }

  // Writes a checkpoint as a replica makes it.
  static fs::path write(const RunPaths& run, const std::string& name = "checkpoint-000001") {
    testing::write_file(run.memory / name / "model", "the state");
    Manifest manifest;
    manifest.files = {{"model", 9, {}}};
    write_manifest(run.memory / name, manifest);
    fs::create_directory_symlink(run.memory / name, run.checkpoints / name);
    return run.checkpoints / name;
  }

  // Leaves the place of a supervisor that was killed, which nobody has locked.
  static fs::path leave(const RunPaths& run) {
    make_private_directory(run.memory.parent_path());
    fs::create_directories(run.memory);
    fs::create_directory_symlink(run.checkpoints, run.memory / "home");
    std::ofstream(run.memory / "lock");
    return write(run);
  }

 private Q_SLOTS:
  void init() {
    folder_.emplace();
    qputenv("BATCHSCOPE_DB", (folder() / "runs.db").c_str());
    qputenv("XDG_STATE_HOME", folder().c_str());
    qputenv("BATCHSCOPE_SHM", (folder() / "shm").c_str());
    fs::create_directory(folder() / "shm");
    paths_ = run("aaaaaaaa");
  }

  void thePlaceIsPrivateAndGoesWithItsSupervisor() {
    {
      const VolatileCheckpoints place(paths_);
      struct stat info {};
      QCOMPARE(stat(paths_.memory.c_str(), &info), 0);
      QCOMPARE(info.st_mode & 0777u, 0700u);
      // The next supervisor finds by it what belongs to whom.
      QCOMPARE(fs::read_symlink(paths_.memory / "home"), paths_.checkpoints);
    }
    QVERIFY(!fs::exists(paths_.memory));
  }

  void whatIsInMemoryGoesToDisk() {
    VolatileCheckpoints place(paths_);
    const fs::path first = write(paths_), second = write(paths_, "checkpoint-000002");
    place.persist();
    place.settle();
    for (const fs::path& checkpoint : {first, second}) {
      QVERIFY(!fs::is_symlink(checkpoint));
      verify_checkpoint(checkpoint);
    }
    QVERIFY(list_checkpoints(paths_.memory).empty());
    QVERIFY(place.take_news().empty());
  }

  void whatIsAskedForWhileTheThreadWritesIsDone() {
    VolatileCheckpoints place(paths_);
    int meanwhile = 0;
    for (int number = 1; number <= 20; ++number) {
      const fs::path checkpoint = write(paths_, "checkpoint-0000" + std::to_string(10 + number));
      place.persist();
      while (fs::is_symlink(checkpoint) && !fs::exists(checkpoint.string() + ".copy")) {
      }
      for (int again = 0; again < 2; ++again) place.persist();  // which does not wait for the one before
      meanwhile += fs::is_symlink(checkpoint);
      if (number == 20) QTRY_VERIFY_WITH_TIMEOUT(!fs::is_symlink(checkpoint), 30000);
    }
    QVERIFY(meanwhile > 0);
  }

  void whatIsOutOfDateIsNotWritten() {
    VolatileCheckpoints place(paths_);
    for (const char* name : {"checkpoint-000001", "checkpoint-000002", "checkpoint-000003"})
      write(paths_, name);
    place.settle();
    QVERIFY(list_checkpoints(paths_.memory).empty());
    const auto kept = list_checkpoints(paths_.checkpoints);
    QCOMPARE(kept.size(), 2u);
    QCOMPARE(kept.back().filename(), fs::path("checkpoint-000002"));
  }

  void whatCannotBeWrittenStaysAndIsToldOnce() {
    {
      VolatileCheckpoints place(paths_);
      const fs::path checkpoint = write(paths_);
      fs::remove(checkpoint / "model");
      place.settle();
      place.settle();
      QCOMPARE(place.take_news().size(), 1u);
      QVERIFY(is_volatile(checkpoint, paths_.memory));
    }
    QCOMPARE(list_checkpoints(paths_.memory).size(), 1u);
  }

  void whatCouldNotBeWrittenIsTriedAgain() {
    VolatileCheckpoints place(paths_);
    const fs::path checkpoint = write(paths_);
    fs::rename(checkpoint / "model", folder() / "model");
    place.settle();
    QCOMPARE(place.take_news().size(), 1u);
    fs::rename(folder() / "model", checkpoint / "model");
    QTRY_VERIFY_WITH_TIMEOUT((place.try_again(), !fs::is_symlink(checkpoint)), 30000);
    place.settle();
    const auto news = place.take_news();
    QCOMPARE(news.size(), 1u);
    QCOMPARE(news[0].text, "checkpoint-000001 is on disk now");
  }

  // Nobody is asked to write what nobody has failed to write, nor again at once.
  void itIsNotTriedAgainBeforeItsTime() {
    VolatileCheckpoints place(paths_);
    const fs::path checkpoint = write(paths_);
    place.try_again();
    QTest::qWait(50);
    QVERIFY(fs::is_symlink(checkpoint));
    fs::rename(checkpoint / "model", folder() / "model");
    const auto before = std::chrono::steady_clock::now();
    place.persist();
    std::size_t told = 0;
    QTRY_VERIFY_WITH_TIMEOUT((told += place.take_news().size()) > 0, 30000);
    fs::rename(folder() / "model", checkpoint / "model");
    place.try_again();
    QTest::qWait(50);
    const bool is_on_disk = !fs::is_symlink(checkpoint);
    if (std::chrono::steady_clock::now() - before < std::chrono::seconds(2)) QVERIFY(!is_on_disk);
  }

  void aFolderThatCannotBeReadIsToldOf() {
    VolatileCheckpoints place(paths_);
    const fs::path away = paths_.checkpoints.string() + "-away";
    const auto news = [&place] {
      std::string all;
      for (const auto& [level, text] : place.take_news()) all += level + ": " + text + "\n";
      return all;
    };
    const fs::path checkpoint = write(paths_);
    fs::rename(paths_.checkpoints, away);
    testing::write_file(paths_.checkpoints, "in the way");
    place.persist();
    std::string told;
    QTRY_VERIFY_WITH_TIMEOUT(!(told += news()).empty(), 30000);
    QVERIFY2(told.starts_with("warning: checkpoints in memory are not on disk yet: "), told.c_str());
    place.settle();
    VERIFY_HOLDS(news(), "warning: checkpoints in memory are not on disk: ");
    fs::remove(paths_.checkpoints);
    fs::rename(away, paths_.checkpoints);
    place.persist();
    QTRY_VERIFY_WITH_TIMEOUT(!fs::is_symlink(checkpoint), 30000);
    QCOMPARE(news(), "");
  }

  // Made by hand, it is kept as it is on disk.
  void whatAPersonHasMadeIsNeverOutOfDate() {
    VolatileCheckpoints place(paths_);
    for (const char* name : {"checkpoint-000001", "checkpoint-000002", "checkpoint-000003"}) {
      write(paths_, name);
      if (name != std::string("checkpoint-000001")) continue;
      Manifest manifest = read_manifest(paths_.checkpoints / name, paths_.memory);
      manifest.pinned = true;
      write_manifest(paths_.memory / name, manifest);
    }
    place.settle();
    QCOMPARE(list_checkpoints(paths_.checkpoints).size(), 3u);
    for (const fs::path& checkpoint : list_checkpoints(paths_.checkpoints))
      QVERIFY(!fs::is_symlink(checkpoint));
  }

  void memoryIsNotFilledWhileTheDiskIsFull() {
    VolatileCheckpoints place(paths_);
    for (const char* name : {"checkpoint-000001", "checkpoint-000002", "checkpoint-000003"})
      fs::remove(write(paths_, name) / "model");
    place.settle();
    QCOMPARE(list_checkpoints(paths_.checkpoints).size(), 2u);
    QCOMPARE(list_checkpoints(paths_.memory).size(), 2u);
    QCOMPARE(list_checkpoints(paths_.memory).back().filename(), fs::path("checkpoint-000002"));
  }

  // The places of this run and of others are put on disk.
  void whatAKilledSupervisorLeftIsPutOnDisk() {
    const RunPaths other = run("bbbbbbbb");
    const fs::path first = leave(paths_), second = leave(other);
    const VolatileCheckpoints place(paths_);
    for (const fs::path& checkpoint : {first, second}) {
      QVERIFY(!fs::is_symlink(checkpoint));
      verify_checkpoint(checkpoint);
    }
    QVERIFY(!fs::exists(other.memory));
    QVERIFY(list_checkpoints(paths_.memory).empty());
  }

  // A folder of another name, and a link with a run's.
  void whatIsNoPlaceIsLeftAlone() {
    const fs::path root = paths_.memory.parent_path(), precious = root / "not-a-run",
                   elsewhere = folder() / "elsewhere";
    make_private_directory(root);
    testing::write_file(precious / "work", "years");
    testing::write_file(elsewhere / "work", "years");
    fs::create_directory_symlink(elsewhere, root / "bbbbbbbb");
    const VolatileCheckpoints place(paths_);
    for (const fs::path& left : {precious, elsewhere})
      QCOMPARE(std::distance(fs::directory_iterator(left), fs::directory_iterator()), 1);
    QVERIFY(fs::is_symlink(root / "bbbbbbbb"));
  }

  void whatNobodyRefersToIsRemoved() {
    const RunPaths removed = run("bbbbbbbb");
    leave(removed);
    fs::remove_all(removed.root);
    const VolatileCheckpoints place(paths_);
    QVERIFY(!fs::exists(removed.memory));
  }

  // A place of its own that could not be emptied is its place again.
  void whatCouldNotBePutOnDiskIsTakenOver() {
    const fs::path checkpoint = leave(paths_);
    fs::rename(checkpoint / "model", folder() / "model");
    VolatileCheckpoints place(paths_);
    QCOMPARE(place.place(), paths_.memory);
    QVERIFY(is_volatile(checkpoint, paths_.memory));
    fs::rename(folder() / "model", checkpoint / "model");
    place.settle();
    QVERIFY(!fs::is_symlink(checkpoint));
    verify_checkpoint(checkpoint);
  }

  void theLivingAreLeftAlone() {
    const RunPaths other = run("bbbbbbbb");
    const VolatileCheckpoints living(other);
    const fs::path checkpoint = write(other);
    const auto before = testing::count_open_files();
    {
      const VolatileCheckpoints beside(paths_);
      QCOMPARE(testing::count_open_files(), before + 1);  // its own lock
    }
    QCOMPARE(testing::count_open_files(), before);
    const VolatileCheckpoints place(paths_);
    QVERIFY(is_volatile(checkpoint, other.memory) && fs::exists(checkpoint));
  }

  void whatWentWithTheMachineIsTold() {
    const fs::path kept = leave(paths_);
    persist_checkpoint(kept, paths_.memory);
    const fs::path lost = write(paths_, "checkpoint-000002");
    fs::remove_all(folder() / "shm" / paths_.memory.parent_path().filename());
    VolatileCheckpoints place(paths_);
    const auto news = place.take_news();
    QCOMPARE(news.size(), 1u);
    QCOMPARE(news[0].text, "checkpoint-000002 was in memory only when the machine went down, and is lost");
    QVERIFY(place.lost() == std::set<std::string>{"checkpoint-000002"});
    QVERIFY(!fs::is_symlink(lost));
    QCOMPARE(newest_good_checkpoint(paths_.checkpoints), kept);
  }

  // He was here before us, and waits for replicas to look into his folder.
  void thePlaceOfAnotherUserIsNotUsed() {
    if (geteuid() != 0) QSKIP("only root can give a folder to another user");
    const fs::path kept = leave(paths_);
    persist_checkpoint(kept, paths_.memory);
    const fs::path left = write(paths_, "checkpoint-000002");  // whose copy he has put in its place
    const fs::path root = paths_.memory.parent_path();
    QCOMPARE(chown(root.c_str(), 65534, 65534), 0);
    VolatileCheckpoints place(paths_);
    QVERIFY(place.place().empty());
    const auto news = place.take_news();
    QCOMPARE(news.size(), 2u);
    VERIFY_HOLDS(news[0].text, root.string() + " is not a directory of yours");
    VERIFY_HOLDS(news[1].text, "checkpoint-000002 was in memory only");
    QCOMPARE(newest_good_checkpoint(paths_.checkpoints, nullptr, paths_.memory), kept);
    QVERIFY(fs::exists(paths_.memory / "checkpoint-000002" / "model"));  // that is his
    place.settle();
    QVERIFY(!fs::exists(left));
  }

  void aLinkInThePlacesStead() {
    fs::create_directory(folder() / "elsewhere");
    fs::create_directory_symlink(folder() / "elsewhere", paths_.memory.parent_path());
    VolatileCheckpoints place(paths_);
    QVERIFY(place.place().empty());
    QCOMPARE(place.take_news().size(), 1u);
    QVERIFY(fs::is_empty(folder() / "elsewhere"));
  }

  // The second is what a run's own links look like, but for the run.
  void aLinkOfSomebodysOwnIsLeftAlone() {
    const RunPaths other = run("bbbbbbbb");
    const VolatileCheckpoints living(other);
    write(other, "checkpoint-000002");
    testing::write_file(folder() / "precious" / "work", "years");
    fs::create_directory_symlink(folder() / "precious", paths_.checkpoints / "checkpoint-000001");
    fs::create_directory_symlink(other.memory / "checkpoint-000002",
                                 paths_.checkpoints / "checkpoint-000002");
    {
      VolatileCheckpoints place(paths_);
      for (const char* name : {"checkpoint-000003", "checkpoint-000004", "checkpoint-000005"})
        write(paths_, name);
      place.settle();
      const auto news = place.take_news();
      QCOMPARE(news.size(), 2u);
      VERIFY_HOLDS(news[0].text, "is a link to");
    }
    for (const char* name : {"checkpoint-000001", "checkpoint-000002"})
      QVERIFY(fs::is_symlink(paths_.checkpoints / name));
    QVERIFY(fs::exists(folder() / "precious" / "work"));
    QVERIFY(fs::exists(other.memory / "checkpoint-000002" / "model"));
    QCOMPARE(list_checkpoints(paths_.checkpoints).size(), 4u);
  }

  void withoutMemoryThereIsNoPlace() {
    for (const char* shm : {"off", "/proc", "/nowhere"}) {
      qputenv("BATCHSCOPE_SHM", shm);
      const RunPaths paths = run("aaaaaaaa");
      VolatileCheckpoints place(paths);
      QVERIFY(paths.memory.empty() || !fs::exists(paths.memory));
      QVERIFY(place.place().empty());
      place.settle();
      QVERIFY(place.take_news().empty());
    }
  }
};

BATCHSCOPE_TEST(TestVolatileCheckpoints)
#include "test_volatile_checkpoints.moc"
