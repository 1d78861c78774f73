// SPDX-License-Identifier: Apache-2.0
//
// Checkpoint manifests: what verifies, what does not, and which checkpoint is the newest good one.
#include <zlib.h>

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/manifest.h"

using namespace batchscope;
using namespace batchscope::protocol;
namespace fs = std::filesystem;

class TestManifest : public QObject {
  Q_OBJECT
  std::unique_ptr<QTemporaryDir> folder_;
  fs::path parent_;

  static void write(const fs::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
  }

  fs::path make(const std::string& name, const std::string& content = "the state") {
    const fs::path directory = parent_ / name;
    fs::create_directories(directory);
    write(directory / "model", content);
    Manifest manifest;
    manifest.step = 40;
    manifest.reason = "rescale";
    const auto crc =
        crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
    manifest.files = {{"model", static_cast<std::int64_t>(content.size()), static_cast<std::uint32_t>(crc)}};
    manifest.ledger = {{"train-0", 1, 2, 30, 40, 5, 53, 40}};
    write_manifest(directory, manifest);
    return directory;
  }

  static ErrorKind kind_of(const fs::path& directory) {
    try {
      verify_checkpoint(directory);
    } catch (const Error& e) {
      return e.kind();
    }
    return ErrorKind::failure;
  }

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    parent_ = folder_->path().toStdString();
  }

  void aGoodOneVerifies() {
    const Manifest manifest = verify_checkpoint(make("checkpoint-000001"));
    QCOMPARE(manifest.step, 40);
    QCOMPARE(manifest.reason, std::string("rescale"));
    QCOMPARE(manifest.files.size(), 1u);
    QVERIFY((manifest.ledger == std::vector<LedgerEntry>{{"train-0", 1, 2, 30, 40, 5, 53, 40}}));
  }

  // Like one on a damaged sector: it opens, and reading fails.
  void oneThatCannotBeReadIsSkipped() {
    const fs::path older = make("checkpoint-000001"), newer = make("checkpoint-000002");
    fs::remove(newer / "manifest.json");
    fs::create_directory(newer / "manifest.json");
    QCOMPARE(kind_of(newer), ErrorKind::io);
    std::vector<std::string> skipped;
    QCOMPARE(newest_good_checkpoint(parent_, &skipped), older);
    QCOMPARE(skipped.size(), 1u);
    QVERIFY2(skipped[0].find("checkpoint-000002/manifest.json: Is a directory") != std::string::npos,
             skipped[0].c_str());
  }

  void aFolderThatCannotBeReadIsNotAnEmptyOne() {
    QVERIFY(list_checkpoints(parent_ / "nothing").empty());
    write(parent_ / "file", "");
    QVERIFY_EXCEPTION_THROWN(list_checkpoints(parent_ / "file"), Error);
  }

  void everyKindOfDamageIsFound() {
    const fs::path truncated = make("checkpoint-000001");
    write(truncated / "model", "the");
    QCOMPARE(kind_of(truncated), ErrorKind::corrupt);
    const fs::path flipped = make("checkpoint-000002");
    write(flipped / "model", "the stat\x64");
    QCOMPARE(kind_of(flipped), ErrorKind::corrupt);
    const fs::path missing = make("checkpoint-000003");
    fs::remove(missing / "model");
    QCOMPARE(kind_of(missing), ErrorKind::corrupt);
    const fs::path unfinished = make("checkpoint-000004");
    fs::remove(unfinished / "manifest.json");
    QCOMPARE(kind_of(unfinished), ErrorKind::not_found);
    const fs::path newer = make("checkpoint-000005");
    write(newer / "manifest.json", R"({"version":99})");
    QCOMPARE(kind_of(newer), ErrorKind::version);
    const fs::path garbage = make("checkpoint-000006");
    write(garbage / "manifest.json", R"({"version":1,"step":"x"})");
    QCOMPARE(kind_of(garbage), ErrorKind::corrupt);
  }

  void aStateFileCannotLieOutside() {
    const fs::path directory = make("checkpoint-000001");
    for (const char* name : {"../model", "/etc/passwd", "", ".."}) {
      Manifest manifest;
      manifest.files = {{name, 0, 0}};
      write_manifest(directory, manifest);
      QCOMPARE(kind_of(directory), ErrorKind::corrupt);
    }
  }

  void theNewestGoodOneIsFoundPastDamage() {
    make("checkpoint-000009");
    make("checkpoint-000010");
    const fs::path newest = make("checkpoint-1000000");
    make("checkpoint-000011.partial");
    make("something-else");
    QCOMPARE(list_checkpoints(parent_).size(), 3u);
    QCOMPARE(newest_good_checkpoint(parent_).value(), newest);
    write(newest / "model", "");
    std::vector<std::string> skipped;
    QCOMPARE(newest_good_checkpoint(parent_, &skipped).value(), parent_ / "checkpoint-000010");
    QCOMPARE(skipped.size(), 1u);
    QVERIFY(!newest_good_checkpoint(parent_ / "nowhere"));
  }
};

QTEST_APPLESS_MAIN(TestManifest)
#include "test_manifest.moc"
