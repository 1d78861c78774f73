// SPDX-License-Identifier: Apache-2.0
//
// Volatile checkpoints: read as any other, and on the way to the disk either whole or still in memory.
#include <QTemporaryDir>
#include <QTest>
#include <fstream>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/manifest.h"
#include "batchscope/protocol/volatile_checkpoint.h"

using namespace batchscope;
using namespace batchscope::protocol;
namespace fs = std::filesystem;

namespace {

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

class TestVolatileCheckpoint : public QObject {
  Q_OBJECT
  std::unique_ptr<QTemporaryDir> folder_;
  fs::path disk_, memory_;

  fs::path make(const std::string& name = "checkpoint-000003") {
    fs::create_directories(memory_ / name);
    std::ofstream(memory_ / name / "model") << "the state";
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

  void itIsReadAsAnyOther() {
    const fs::path checkpoint = make();
    QVERIFY(is_volatile(checkpoint));
    QCOMPARE(list_checkpoints(disk_), std::vector{checkpoint});
    QCOMPARE(verify_checkpoint(checkpoint).step, 40);
    QCOMPARE(newest_good_checkpoint(disk_).value(), checkpoint);
    fs::resize_file(memory_ / "checkpoint-000003" / "model", 8);
    QVERIFY_EXCEPTION_THROWN(verify_checkpoint(checkpoint), Error);
  }

  void itsCopyOnDiskTakesItsPlace() {
    const fs::path checkpoint = make();
    fs::create_directory(checkpoint.string() + ".copy");  // of somebody who was killed
    persist_checkpoint(checkpoint);
    QVERIFY(!is_volatile(checkpoint));
    const Manifest manifest = verify_checkpoint(checkpoint);
    QCOMPARE(manifest.step, 40);
    QVERIFY(manifest.files.at(0).crc32.has_value());
    QCOMPARE(contents(checkpoint / "model"), std::string("the state"));
    QVERIFY(fs::is_empty(memory_));
    QVERIFY(!fs::exists(checkpoint.string() + ".copy"));
  }

  // On disk a checksum is what tells that a file is whole.
  void onDiskAChecksumIsAsked() {
    const fs::path checkpoint = make();
    fs::remove(checkpoint);
    fs::rename(memory_ / "checkpoint-000003", checkpoint);
    QVERIFY_EXCEPTION_THROWN(verify_checkpoint(checkpoint), Error);
  }

  void aLostOneIsPassedOver() {
    make("checkpoint-000002");
    persist_checkpoint(disk_ / "checkpoint-000002");
    make("checkpoint-000003");
    fs::remove_all(memory_ / "checkpoint-000003");
    std::vector<std::string> skipped;
    QCOMPARE(newest_good_checkpoint(disk_, &skipped).value(), disk_ / "checkpoint-000002");
    QCOMPARE(skipped.size(), 1u);
    QVERIFY_EXCEPTION_THROWN(persist_checkpoint(disk_ / "checkpoint-000003"), Error);
    QVERIFY(is_volatile(disk_ / "checkpoint-000003"));
  }

  void aDamagedOneStaysInMemory() {
    const fs::path checkpoint = make();
    fs::remove(memory_ / "checkpoint-000003" / "model");
    QVERIFY_EXCEPTION_THROWN(persist_checkpoint(checkpoint), Error);
    QVERIFY(is_volatile(checkpoint) && fs::exists(memory_ / "checkpoint-000003"));
  }

  void itIsRemovedWithWhatItLinksTo() {
    remove_checkpoint(make());
    QVERIFY(fs::is_empty(disk_) && fs::is_empty(memory_));
  }

  void thereIsNoRoomWhereThereIsNoMemory() {
    QCOMPARE(room_for_checkpoint(memory_ / "nowhere"), std::int64_t{0});
    QCOMPARE(room_for_checkpoint("/proc"), std::int64_t{0});
    QVERIFY(room_for_checkpoint("/dev/shm") > 0);
  }
};

QTEST_APPLESS_MAIN(TestVolatileCheckpoint)
#include "test_volatile_checkpoint.moc"
