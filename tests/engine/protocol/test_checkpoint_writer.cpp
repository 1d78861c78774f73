// SPDX-License-Identifier: Apache-2.0
//
// Checkpoints as they are made, wholly or not at all, and which of them stay.
#include "batchscope/protocol/checkpoint_writer.h"

#include <QTemporaryDir>

#include "batchscope/protocol/error.h"
#include "storage/full_disk.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::protocol;
using testing::contents;
using testing::write_file;
namespace fs = std::filesystem;

class TestCheckpointWriter : public QObject {
  Q_OBJECT
  std::unique_ptr<QTemporaryDir> folder_;
  fs::path parent_;

  fs::path make(std::int64_t number, bool pinned = false) const {
    Manifest manifest;
    manifest.pinned = pinned;
    const fs::path name = parent_ / checkpoint_name(number);
    write_checkpoint(name, manifest, [&](const fs::path& folder) {
      write_file(folder / "model", "the state");
      manifest.files = {{"model", 9, bytes_crc32("the state")}};
    });
    return name;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(parent_))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    parent_ = folder_->path().toStdString();
  }

  void itHasItsNameWhenItIsWhole() {
    const fs::path name = parent_ / "checkpoint-000001";
    Manifest manifest;
    manifest.step = 40;
    write_checkpoint(name, manifest, [&](const fs::path& folder) {
      QCOMPARE(folder, parent_ / "checkpoint-000001.partial");
      QVERIFY(!fs::exists(name));
      write_file(folder / "model", "the state");
      manifest.files = {{"model", 9, bytes_crc32("the state")}};
    });
    QCOMPARE(verify_checkpoint(name).step, 40);
    QCOMPARE(names(), std::vector<std::string>{"checkpoint-000001"});
  }

  void whatCannotBeMadeLeavesNothing() {
    Manifest manifest;
    const fs::path name = parent_ / "checkpoint-000001";
    const auto fails = [&](const fs::path& folder) {
      write_file(folder / "model", "half");
      throw Error(ErrorKind::io, "the disk is full");
    };
    VERIFY_THROWS("io", "the disk is full", write_checkpoint(name, manifest, fails));
    QVERIFY(names().empty());
    VERIFY_THROWS("io", "cannot create",
                  write_checkpoint(parent_ / "nothing" / "checkpoint-000001", manifest, fails));
    // Another process makes it: its folder is not touched.
    write_file(parent_ / "checkpoint-000001.partial" / "model", "another's");
    VERIFY_THROWS("io", "checkpoint-000001.partial: File exists", write_checkpoint(name, manifest, fails));
    QCOMPARE(contents(parent_ / "checkpoint-000001.partial" / "model"), std::string("another's"));
    // A folder of its name that is not empty.
    fs::remove_all(parent_ / "checkpoint-000001.partial");
    write_file(name / "model", "of before");
    VERIFY_THROWS("io", "cannot rename", write_checkpoint(name, manifest, [](const fs::path& folder) {
                    write_file(folder / "model", "the state");
                  }));
    QCOMPARE(names(), std::vector<std::string>{"checkpoint-000001"});
    QCOMPARE(contents(name / "model"), std::string("of before"));
  }

  void aFullDiskLeavesNothing() {
    Manifest manifest;
    manifest.files = {{"model", 9, bytes_crc32("the state")}};
    const storage::test::FullDisk full(20);  // enough for the state, not for the manifest
    VERIFY_THROWS("io", "manifest.json: File too large",
                  write_checkpoint(parent_ / "checkpoint-000001", manifest, [](const fs::path& folder) {
                    write_file(folder / "model", "the state");
                  }));
    QVERIFY(names().empty());
  }

  void whatIsHalfMadeIsKnownByItsName() {
    QVERIFY(is_partial_checkpoint(partial_checkpoint("checkpoint-000001").string()));
    for (const char* name : {"checkpoint-000001", "notes.partial", "checkpoint-000001.partial.old"})
      QVERIFY2(!is_partial_checkpoint(name), name);
  }

  void copiesHaveChecksumsOfTheirOwn() {
    const fs::path from = make(1), to = parent_ / "copy";
    fs::create_directory(to);
    Manifest manifest = read_manifest(from);
    manifest.files.at(0).crc32.reset();
    copy_states(CheckpointFolder(from, {}), to, manifest);
    QCOMPARE(contents(to / "model"), std::string("the state"));
    QVERIFY(manifest.files.at(0).crc32 == bytes_crc32("the state"));
    VERIFY_THROWS("io", "cannot write",
                  copy_states(CheckpointFolder(from, {}), to, manifest));  // it is there
  }

  void theNewestTwoStay() {
    for (int number = 1; number <= 4; ++number) make(number);
    remove_old_checkpoints(parent_, {});
    QCOMPARE(names(), (std::vector<std::string>{"checkpoint-000003", "checkpoint-000004"}));
    remove_old_checkpoints(parent_, {});
    QCOMPARE(names().size(), 2u);
  }

  // Checkpoints that a person pinned or somebody reads, what cannot be read, and links stay beside the two.
  void whatIsNotOldOnesIsLeftAlone() {
    make(1, true);
    make(2);
    const fs::path spared = make(3);
    write_file(make(4) / "manifest.json", R"({"version":99})");
    const fs::path elsewhere = parent_ / "elsewhere";
    fs::rename(make(5), elsewhere);
    fs::create_directory_symlink(elsewhere, parent_ / "checkpoint-000005");
    write_file(parent_ / "checkpoint-000006.partial" / "model", "half");
    make(7, true);
    make(8);
    make(9);
    remove_old_checkpoints(parent_, {spared});
    QCOMPARE(names(),
             (std::vector<std::string>{"checkpoint-000001", "checkpoint-000003", "checkpoint-000004",
                                       "checkpoint-000005", "checkpoint-000006.partial", "checkpoint-000007",
                                       "checkpoint-000008", "checkpoint-000009", "elsewhere"}));
    QVERIFY(fs::exists(elsewhere / "model"));
    remove_old_checkpoints(parent_, {});
    QVERIFY(!fs::exists(spared));
  }

  void whatIsNotThereCannotBeMadeSafe() {
    VERIFY_THROWS("io", "cannot open", fsync_path(parent_ / "nothing"));
    VERIFY_THROWS("io", "cannot fsync /dev/null: Invalid argument", fsync_path("/dev/null"));
    fsync_path(parent_);
  }
};

BATCHSCOPE_TEST(TestCheckpointWriter)
#include "test_checkpoint_writer.moc"
