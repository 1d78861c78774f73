// SPDX-License-Identifier: Apache-2.0
//
// Checkpoints on disk: whole or not there, the last two and the pinned kept, damage noticed and passed over.
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>
#include <fstream>

#include "batchscope/protocol/error.h"
#include "checkpoint_store.h"

using namespace batchscope;
namespace fs = std::filesystem;

namespace {

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

CheckpointStore::File file(const std::string& name, const std::string& text) {
  return {name, [text](std::ostream& out) { out << text; }};
}

}  // namespace

class CheckpointStoreTest : public QObject {
  Q_OBJECT

  std::unique_ptr<QTemporaryDir> temporary_;
  std::unique_ptr<CheckpointStore> store_;

  fs::path write(const std::string& text, bool pinned = false) {
    protocol::Manifest manifest;
    manifest.pinned = pinned;
    return store_->write(manifest, {file("model", text), file("large", std::string(200'000, 'x') + text)});
  }

 private Q_SLOTS:
  void init() {
    temporary_ = std::make_unique<QTemporaryDir>();
    // A directory that is not there yet is made.
    store_ = std::make_unique<CheckpointStore>(fs::path(temporary_->path().toStdString()) / "a" / "b");
  }

  void what_is_written_verifies() {
    const fs::path written = write("hello");
    QCOMPARE(written.filename().string(), std::string("checkpoint-000000"));
    const auto manifest = protocol::verify_checkpoint(written);
    QCOMPARE(manifest.files.size(), 2u);
    QCOMPARE(manifest.files[1].bytes, 200'005);
    QCOMPARE(contents(written / "model"), std::string("hello"));
    QCOMPARE(store_->newest(nullptr), written);
  }

  void an_empty_or_missing_directory_is_a_fresh_start() {
    std::vector<std::string> skipped;
    QVERIFY(!store_->newest(&skipped));
    QVERIFY(skipped.empty());
  }

  void the_last_two_and_the_pinned_are_kept() {
    const fs::path pinned = write("0", true);
    for (const char* text : {"1", "2", "3", "4"}) write(text);
    const auto kept = protocol::list_checkpoints(store_->directory());
    QCOMPARE(kept.size(), 3u);
    QCOMPARE(contents(kept[0] / "model"), std::string("4"));
    QCOMPARE(contents(kept[1] / "model"), std::string("3"));
    QCOMPARE(kept[2], pinned);
  }

  void damage_is_passed_over_data() {
    QTest::addColumn<QString>("damage");
    for (const char* damage :
         {"truncated", "flipped", "removed", "no manifest", "broken manifest", "newer version"})
      QTest::newRow(damage) << damage;
  }
  void damage_is_passed_over() {
    QFETCH(QString, damage);
    const fs::path good = write("good"), bad = write("bad");
    if (damage == "truncated") fs::resize_file(bad / "large", 100);
    if (damage == "flipped") {
      std::fstream out(bad / "large", std::ios::in | std::ios::out | std::ios::binary);
      out.seekp(1234);
      out.put('y');
    }
    if (damage == "removed") fs::remove(bad / "model");
    if (damage == "no manifest") fs::remove(bad / "manifest.json");
    if (damage == "broken manifest") std::ofstream(bad / "manifest.json") << "{\"version\":";
    if (damage == "newer version") std::ofstream(bad / "manifest.json") << "{\"version\": 99}";
    std::vector<std::string> skipped;
    QCOMPARE(store_->newest(&skipped), good);
    QCOMPARE(skipped.size(), 1u);
    QVERIFY2(skipped[0].find("checkpoint-000001") != std::string::npos, skipped[0].c_str());
    // The next one is newer than the bad one, and rotation leaves that to the person.
    const fs::path next = write("next");
    QCOMPARE(next.filename().string(), std::string("checkpoint-000002"));
    QVERIFY(fs::exists(bad));
    QVERIFY(fs::exists(good));
  }

  void what_a_killed_writer_left_is_removed() {
    const fs::path first = write("first");
    const fs::path half = store_->directory() / "checkpoint-000001.partial";
    fs::create_directory(half);
    std::ofstream(half / "model") << "ha";
    QCOMPARE(store_->newest(nullptr), first);
    QCOMPARE(write("second").filename().string(), std::string("checkpoint-000001"));
    QVERIFY(!fs::exists(half));
  }

  void a_state_that_throws_leaves_the_one_before() {
    const fs::path first = write("first");
    protocol::Manifest manifest;
    const auto fail = [](std::ostream&) { throw std::runtime_error("cannot say"); };
    QVERIFY_EXCEPTION_THROWN(store_->write(manifest, {file("model", "x"), {"bad", fail}}),
                             std::runtime_error);
    QCOMPARE(store_->newest(nullptr), first);
    QCOMPARE(std::distance(fs::directory_iterator(store_->directory()), {}), 1);
  }

  void a_directory_that_cannot_be_written_is_named() {
    if (geteuid() == 0) {
      // Root may write anywhere; a file in the directory's place serves.
      fs::create_directories(store_->directory().parent_path());
      std::ofstream(store_->directory()) << "in the way";
    } else {
      fs::create_directories(store_->directory());
      fs::permissions(store_->directory(), fs::perms::owner_read | fs::perms::owner_exec);
    }
    try {
      write("x");
      QFAIL("written");
    } catch (const Error& e) {
      QCOMPARE(e.kind(), ErrorKind::io);
      QVERIFY2(std::string(e.what()).find(store_->directory().string()) != std::string::npos, e.what());
    }
  }
};

QTEST_APPLESS_MAIN(CheckpointStoreTest)
#include "test_checkpoint_store.moc"
