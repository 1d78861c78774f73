// SPDX-License-Identifier: Apache-2.0
//
// Volatile checkpoints: read as any other, and on the way to the disk either whole or still in memory.
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <cerrno>

#include "batchscope/protocol/checkpoint_folder.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/manifest.h"
#include "batchscope/protocol/volatile_checkpoint.h"
#include "hindered.h"
#include "open_files.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::protocol;
namespace fs = std::filesystem;

// The errno of every exchange of names; 0: the system's own answer. Not all file systems can do it.
static int refusal_of_renameat2 = 0;

// Stands in the place of the C library's in this program.
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  if (refusal_of_renameat2 == 0)
    return static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
  errno = refusal_of_renameat2;
  return -1;
}

// A link that leads nowhere is there, too.
static bool is_gone(const fs::path& path) { return !fs::exists(fs::symlink_status(path)); }

class TestVolatileCheckpoint : public QObject {
  Q_OBJECT
  std::unique_ptr<QTemporaryDir> folder_;
  fs::path disk_, memory_;

  fs::path make(const std::string& name = "checkpoint-000003") {
    testing::write_file(memory_ / name / "model", "the state");
    Manifest manifest;
    manifest.step = 40;
    manifest.files = {{"model", 9, {}}};
    write_manifest(memory_ / name, manifest);
    fs::create_directory_symlink(memory_ / name, disk_ / name);
    return disk_ / name;
  }

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    disk_ = fs::path(folder_->path().toStdString()) / "disk";
    memory_ = fs::path(folder_->path().toStdString()) / "memory";
    fs::create_directories(disk_);
    fs::create_directories(memory_);
  }
  void cleanup() { refusal_of_renameat2 = 0; }

  void itIsReadAsAnyOther() {
    const fs::path checkpoint = make();
    const auto open_files = testing::count_open_files();
    QVERIFY(is_volatile(checkpoint, memory_));
    QCOMPARE(list_checkpoints(disk_), std::vector{checkpoint});
    QCOMPARE(verify_checkpoint(checkpoint, memory_).step, 40);
    QCOMPARE(newest_good_checkpoint(disk_, nullptr, memory_).value(), checkpoint);
    fs::resize_file(memory_ / "checkpoint-000003" / "model", 8);
    QVERIFY_EXCEPTION_THROWN(verify_checkpoint(checkpoint, memory_), Error);
    QCOMPARE(testing::count_open_files(), open_files);
  }

  void itsCopyOnDiskTakesItsPlace() {
    const fs::path checkpoint = make();
    fs::create_directory(checkpoint.string() + ".copy");  // of somebody who was killed
    persist_checkpoint(checkpoint, memory_);
    QVERIFY(!is_volatile(checkpoint, memory_));
    const Manifest manifest = verify_checkpoint(checkpoint, memory_);
    QCOMPARE(manifest.step, 40);
    QVERIFY(manifest.files.at(0).crc32.has_value());
    QCOMPARE(testing::contents(checkpoint / "model"), std::string("the state"));
    QVERIFY(fs::is_empty(memory_));
    QVERIFY(is_gone(checkpoint.string() + ".copy"));
  }

  // As on NFS, and in kernels of old.
  void withoutAnExchangeOfNamesItsCopyTakesItsPlaceAllTheSame() {
    for (const int refusal : {EINVAL, ENOSYS}) {
      const fs::path checkpoint = make(checkpoint_name(refusal));
      refusal_of_renameat2 = refusal;
      persist_checkpoint(checkpoint, memory_);
      QVERIFY(!fs::is_symlink(checkpoint));
      QCOMPARE(verify_checkpoint(checkpoint, memory_).step, 40);
      QVERIFY(fs::is_empty(memory_));
      QVERIFY(is_gone(checkpoint.string() + ".copy"));
    }
  }

  void aCopyThatCannotTakeItsPlaceLeavesItInMemory() {
    const fs::path checkpoint = make();
    refusal_of_renameat2 = EIO;
    VERIFY_THROWS("io", "checkpoint-000003.copy: Input/output error",
                  persist_checkpoint(checkpoint, memory_));
    QVERIFY(is_volatile(checkpoint, memory_));
    QCOMPARE(verify_checkpoint(checkpoint, memory_).step, 40);
    QVERIFY(is_gone(checkpoint.string() + ".copy"));
  }

  void oneThatCannotBeRemovedIsTold() {
    const fs::path checkpoint = make();
    constexpr auto kNobodyWrites = static_cast<fs::perms>(0555);
    fs::permissions(folder_->path().toStdString(), kNobodyWrites);
    fs::permissions(disk_, kNobodyWrites);
    {
      const testing::Unprivileged hindered;
      VERIFY_THROWS("io", "cannot remove " + checkpoint.string(),
                    remove_volatile_checkpoint(checkpoint, memory_));
    }
    for (const fs::path& folder : {fs::path(folder_->path().toStdString()), disk_})
      fs::permissions(folder, fs::perms::owner_all);
    QCOMPARE(verify_checkpoint(checkpoint, memory_).step, 40);
  }

  // A checksum is what tells, on disk, that a file is whole.
  void onDiskAChecksumIsAsked() {
    const fs::path checkpoint = make();
    fs::remove(checkpoint);
    fs::rename(memory_ / "checkpoint-000003", checkpoint);
    QVERIFY_EXCEPTION_THROWN(verify_checkpoint(checkpoint, memory_), Error);
  }

  void aLostOneIsPassedOver() {
    make("checkpoint-000002");
    persist_checkpoint(disk_ / "checkpoint-000002", memory_);
    make("checkpoint-000003");
    fs::remove_all(memory_ / "checkpoint-000003");
    std::vector<std::string> skipped;
    QCOMPARE(newest_good_checkpoint(disk_, &skipped, memory_).value(), disk_ / "checkpoint-000002");
    QCOMPARE(skipped.size(), 1u);
    QVERIFY_EXCEPTION_THROWN(persist_checkpoint(disk_ / "checkpoint-000003", memory_), Error);
    QVERIFY(is_volatile(disk_ / "checkpoint-000003", memory_));
  }

  void aDamagedOneStaysInMemory() {
    const fs::path checkpoint = make();
    fs::remove(memory_ / "checkpoint-000003" / "model");
    QVERIFY_EXCEPTION_THROWN(persist_checkpoint(checkpoint, memory_), Error);
    QVERIFY(is_volatile(checkpoint, memory_) && fs::exists(memory_ / "checkpoint-000003"));
  }

  void itIsRemovedWithWhatItLinksTo() {
    remove_volatile_checkpoint(make(), memory_);
    QVERIFY(fs::is_empty(disk_) && fs::is_empty(memory_));
  }

  // A link of a checkpoint's name that a person made: neither it nor what it leads to is touched, wherever
  // that lies, in the place in memory too.
  void anyOtherLinkIsLeftAlone() {
    make("checkpoint-000003");
    testing::write_file(disk_.parent_path() / "precious" / "work", "years");
    for (const fs::path& to :
         {disk_.parent_path() / "precious", memory_ / "checkpoint-000003", fs::path("/nowhere")}) {
      const fs::path link = disk_ / "checkpoint-000004";
      fs::create_directory_symlink(to, link);
      QVERIFY(!is_volatile(link, memory_));
      QVERIFY_EXCEPTION_THROWN(verify_checkpoint(link, memory_), Error);
      QVERIFY_EXCEPTION_THROWN(persist_checkpoint(link, memory_), Error);
      QVERIFY_EXCEPTION_THROWN(remove_volatile_checkpoint(link, memory_), Error);
      QCOMPARE(fs::read_symlink(link), to);
      fs::remove(link);
    }
    QCOMPARE(testing::contents(disk_.parent_path() / "precious" / "work"), std::string("years"));
    QCOMPARE(verify_checkpoint(disk_ / "checkpoint-000003", memory_).step, 40);
    QVERIFY_EXCEPTION_THROWN(verify_checkpoint(disk_ / "checkpoint-000003"), Error);  // of another run
  }

  // Anybody who can write to a place in memory, or made it, can lay a checkpoint there.
  void aPlaceThatIsNotOursAloneIsNotRead() {
    const fs::path checkpoint = make(), root = memory_.parent_path();
    fs::permissions(root, fs::perms::group_read, fs::perm_options::add);
    QVERIFY_EXCEPTION_THROWN(verify_checkpoint(checkpoint, memory_), Error);
    fs::permissions(root, fs::perms::owner_all);
    verify_checkpoint(checkpoint, memory_);
    fs::permissions(memory_, fs::perms::others_write, fs::perm_options::add);
    QVERIFY_EXCEPTION_THROWN(verify_checkpoint(checkpoint, memory_), Error);
    fs::permissions(memory_, fs::perms::owner_all);
    // A link on the way.
    fs::rename(memory_ / "checkpoint-000003", root / "elsewhere");
    fs::create_directory_symlink(root / "elsewhere", memory_ / "checkpoint-000003");
    QVERIFY_EXCEPTION_THROWN(verify_checkpoint(checkpoint, memory_), Error);
    fs::remove(memory_ / "checkpoint-000003");
    fs::rename(root / "elsewhere", memory_ / "checkpoint-000003");
    if (geteuid() != 0) QSKIP("only root can give a folder to another user");
    for (const fs::path& folder : {root, memory_, memory_ / "checkpoint-000003"}) {
      verify_checkpoint(checkpoint, memory_);
      QCOMPARE(chown(folder.c_str(), 65534, 65534), 0);
      QVERIFY_EXCEPTION_THROWN(verify_checkpoint(checkpoint, memory_), Error);
      QVERIFY_EXCEPTION_THROWN(persist_checkpoint(checkpoint, memory_), Error);
      QCOMPARE(chown(folder.c_str(), 0, 0), 0);
    }
  }

  // With a umask of 002 nobody else is in a user's group; of another group there are others.
  void aGroupMayWriteWhereItIsTheUsersOwn() {
    const fs::path checkpoint = make();
    persist_checkpoint(checkpoint, memory_);
    fs::permissions(checkpoint, fs::perms::group_write, fs::perm_options::add);
    QCOMPARE(verify_checkpoint(checkpoint).step, 40);
    if (geteuid() != 0) QSKIP("only root can give a folder to another group");
    QCOMPARE(chown(checkpoint.c_str(), 0, 65534), 0);
    VERIFY_THROWS("corrupt", "may be written by other users", verify_checkpoint(checkpoint));
  }

  void whatBelongsToRootIsTrusted() {
    const testing::Unprivileged hindered;
    const CheckpointFolder folder("/usr");
    VERIFY_THROWS("io", "File name too long", folder.file(std::string(300, 'x')));
  }

  void thereIsNoRoomWhereThereIsNoMemory() {
    QCOMPARE(room_for_checkpoint(memory_ / "nowhere"), std::int64_t{0});
    QCOMPARE(room_for_checkpoint("/proc"), std::int64_t{0});
    QVERIFY(room_for_checkpoint("/dev/shm") > 0);
  }
};

BATCHSCOPE_TEST(TestVolatileCheckpoint)
#include "test_volatile_checkpoint.moc"
