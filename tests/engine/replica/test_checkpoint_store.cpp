// SPDX-License-Identifier: Apache-2.0
//
// Checkpoints on disk: whole or not there, the last two and the pinned kept, damage noticed and passed over.
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <fstream>
#include <iterator>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/volatile_checkpoint.h"
#include "checkpoint/checksummed_file.h"
#include "checkpoint/store.h"
#include "hindered.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::replica;
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

class TestCheckpointStore : public QObject {
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
    // Everybody may read it whom the program lets read its files.
    const mode_t mask = ::umask(0);
    ::umask(mask);
    QCOMPARE(static_cast<unsigned>(fs::status(written / "model").permissions()), 0644u & ~mask);
  }

  void nothing_is_left_open() {
    const auto open = [] {
      return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
    };
    const auto before = open();
    for (const char* text : {"1", "2"}) write(text);
    QCOMPARE(open(), before);
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

  void numbers_go_on_beside_names_that_are_none() {
    const fs::path first = write("1");
    for (const char* name : {"checkpoint-99999999999999999999", "checkpoint-", "checkpoint-7x"})
      fs::create_directory(store_->directory() / name);
    QCOMPARE(write("2").filename().string(), std::string("checkpoint-000001"));
    fs::rename(first, store_->directory() / "checkpoint-1000000");
    QCOMPARE(write("3").filename().string(), std::string("checkpoint-1000001"));
    // The last number there is leaves none for the next, and the error says what to do.
    fs::rename(store_->directory() / "checkpoint-1000001", store_->directory() / "checkpoint-999999999999");
    try {
      write("4");
      QFAIL("written");
    } catch (const Error& e) {
      QVERIFY2(std::string(e.what()).find("move checkpoints with such numbers") != std::string::npos,
               e.what());
    }
  }

  void somebodys_own_link_is_left_alone() {
    const fs::path precious = fs::path(temporary_->path().toStdString()) / "precious";
    fs::create_directory(precious);
    write("1");
    fs::create_directory_symlink(precious, store_->directory() / "checkpoint-000000-mine");
    const fs::path link = store_->directory() / "checkpoint-0";
    fs::create_directory_symlink(precious, link);
    for (const char* text : {"2", "3", "4", "5"}) write(text);
    QVERIFY(fs::is_symlink(link) && fs::exists(precious));
    QCOMPARE(protocol::list_checkpoints(store_->directory()).size(), 3u);
  }

  void what_could_not_be_loaded_is_passed_over() {
    const fs::path good = write("1"), bad = write("2");
    store_ = std::make_unique<CheckpointStore>(
        store_->directory(), fs::path(),
        std::map<std::string, std::string>{{bad.filename().string(), "it cannot be loaded"}});
    std::vector<std::string> skipped;
    QCOMPARE(store_->newest(&skipped), good);
    QCOMPARE(skipped, std::vector<std::string>{"checkpoint-000001: it cannot be loaded"});
    for (const char* text : {"3", "4", "5"}) write(text);
    QVERIFY(fs::exists(bad));  // for a person to look at
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

  void in_memory_it_is_a_link_and_counts_for_nothing() {
    const fs::path first = write("1"), second = write("2");
    const fs::path memory = temporary_->filePath("memory").toStdString();
    fs::create_directory(memory);
    store_ = std::make_unique<CheckpointStore>(store_->directory(), memory);
    for (const char* text : {"3", "4", "5"}) {
      protocol::Manifest manifest;
      const auto written = store_->write_in_memory(manifest, {file("model", text)});
      QVERIFY(written && protocol::is_volatile(*written, memory));
      QCOMPARE(contents(*written / "model"), std::string(text));
      QCOMPARE(store_->newest(nullptr), written);
      QVERIFY(fs::exists(memory / written->filename()));
    }
    // Were the machine to go down now, these would be left.
    QVERIFY(fs::exists(first) && fs::exists(second));
    QCOMPARE(write("6").filename().string(), std::string("checkpoint-000005"));
  }

  // It counts as one on disk then.
  void what_a_supervisor_has_copied_lets_an_older_one_go() {
    const fs::path memory = temporary_->filePath("memory").toStdString();
    fs::create_directory(memory);
    const fs::path first = write("1"), second = write("2");
    store_ = std::make_unique<CheckpointStore>(store_->directory(), memory);
    protocol::Manifest manifest;
    const fs::path third = store_->write_in_memory(manifest, {file("model", "3")}).value();
    protocol::persist_checkpoint(third, memory);
    QVERIFY(fs::exists(first));
    QVERIFY(store_->write_in_memory(manifest, {file("model", "4")}));
    QVERIFY(!fs::exists(first) && fs::exists(second) && fs::exists(third));
  }

  void where_there_is_no_room_in_memory_nothing_is_left() {
    write("1");
    protocol::Manifest manifest;
    const fs::path in_the_way = temporary_->filePath("memory").toStdString();
    std::ofstream(in_the_way) << "in the way";
    for (const fs::path& memory : {fs::path(), fs::path("/proc"), fs::path("/nowhere"), in_the_way})
      QVERIFY(!CheckpointStore(store_->directory(), memory).write_in_memory(manifest, {file("model", "2")}));
    QCOMPARE(std::distance(fs::directory_iterator(store_->directory()), {}), 1);
  }

  void a_file_in_memory_keeps_to_its_room() {
    std::int64_t room = 100'000;
    ChecksummedFile within(temporary_->filePath("a").toStdString(), room);
    within.stream() << std::string(90'000, 'x');
    within.finish();
    QVERIFY(!within.entry().crc32);
    QCOMPARE(room, std::int64_t{10'000});
    ChecksummedFile beyond(temporary_->filePath("b").toStdString(), room);
    QVERIFY_EXCEPTION_THROWN(beyond.stream() << std::string(90'000, 'x') << std::flush, Error);
  }

  // However the pieces lie to the buffer.
  void every_byte_is_written_and_counted() {
    constexpr std::size_t kBuffer = 1 << 16;
    int number = 0;
    for (const std::size_t piece : {kBuffer - 1, kBuffer, kBuffer + 1, std::size_t{1000}, 3 * kBuffer}) {
      const fs::path path = temporary_->filePath(QString::number(number++)).toStdString();
      std::string all;
      ChecksummedFile out(path);
      for (int i = 0; i < 5; ++i) {
        const std::string text(piece, static_cast<char>('a' + i));
        out.stream() << text;
        out.stream().put('-');
        all += text + '-';
      }
      out.finish();
      QVERIFY(contents(path) == all);
      QCOMPARE(out.entry().bytes, std::ssize(all));
      QCOMPARE(out.entry().crc32, std::optional(protocol::file_crc32(path)));
      QCOMPARE(out.entry().name, path.filename().string());
    }
    const fs::path path = temporary_->filePath("letters").toStdString();
    ChecksummedFile letters(path);
    for (std::size_t i = 0; i < 2 * kBuffer + 1; ++i) letters.stream().put(static_cast<char>(i % 251));
    letters.finish();
    const std::string all = contents(path);
    QCOMPARE(all.size(), 2 * kBuffer + 1);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] != static_cast<char>(i % 251)) QFAIL(qPrintable(QString::number(i)));
  }

  void a_file_that_is_there_is_not_written_over() {
    const fs::path path = temporary_->filePath("there").toStdString();
    std::ofstream(path) << "precious";
    VERIFY_THROWS("io", "cannot create " + path.string() + ": File exists", ChecksummedFile{path});
    QCOMPARE(contents(path), "precious");
  }

  // As with a full disk: what was there before it was full is of no use.
  void a_file_that_may_not_grow_is_named() {
    const fs::path path = temporary_->filePath("full").toStdString();
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit little{100'000, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &little);
    const std::string thrown = testing::thrown_by([&] {
      ChecksummedFile file(path);
      file.stream() << std::string(200'000, 'x');
    });
    ::setrlimit(RLIMIT_FSIZE, &before);
    QCOMPARE(thrown, "io: cannot write " + path.string() + ": File too large");
    QCOMPARE(fs::file_size(path), 100'000u);
  }

  void room_in_memory_may_be_used_up_to_the_last_byte() {
    std::int64_t room = 100;
    ChecksummedFile full(temporary_->filePath("a").toStdString(), room);
    full.stream() << std::string(100, 'x');
    full.finish();
    QCOMPARE(room, std::int64_t{0});
    QCOMPARE(full.entry().bytes, 100);
    full.stream() << 'x';
    VERIFY_THROWS("io", "No space left on device", full.finish());
  }

  // Such as the list of a place where it could not be written.
  void only_the_files_that_are_there_are_listed() {
    protocol::Manifest manifest;
    manifest.files = {{"elsewhere", 1, 1}};
    const fs::path written = store_->write(manifest, {file("model", "x")});
    QCOMPARE(protocol::verify_checkpoint(written).files.size(), 1u);
    QCOMPARE(manifest.files.size(), 1u);
  }

  // A supervisor that is gone left it, or a writer that was killed.
  void what_lies_in_its_place_in_memory_gives_way() {
    const fs::path memory = temporary_->filePath("memory").toStdString();
    for (const char* name : {"checkpoint-000000", "checkpoint-000000.partial"}) {
      fs::create_directories(memory / name);
      std::ofstream(memory / name / "old") << "old";
    }
    store_ = std::make_unique<CheckpointStore>(store_->directory(), memory);
    protocol::Manifest manifest;
    const auto written = store_->write_in_memory(manifest, {file("model", "new")});
    QVERIFY(written);
    QCOMPARE(contents(*written / "model"), "new");
    QVERIFY(!fs::exists(*written / "old"));
    QCOMPARE(std::distance(fs::directory_iterator(memory), {}), 1);
  }

  void in_memory_a_full_place_is_no_fault_and_a_fault_is() {
    const fs::path memory = temporary_->filePath("memory").toStdString();
    fs::create_directory(memory);
    store_ = std::make_unique<CheckpointStore>(store_->directory(), memory);
    protocol::Manifest manifest;
    const auto fails = [](ErrorKind kind) {
      return CheckpointStore::File{"model", [kind](std::ostream&) { throw Error(kind, "cannot say"); }};
    };
    QVERIFY(!store_->write_in_memory(manifest, {fails(ErrorKind::io)}));
    VERIFY_THROWS("conflict", "cannot say", store_->write_in_memory(manifest, {fails(ErrorKind::conflict)}));
    for (const fs::path& place : {memory, store_->directory()})
      QCOMPARE(std::distance(fs::directory_iterator(place), {}), 0);
  }

  // Nothing of it is left in memory.
  void in_memory_a_folder_that_takes_no_link_is_as_a_full_one() {
    const fs::path memory = temporary_->filePath("memory").toStdString();
    write("1");
    fs::create_directory(memory);
    fs::permissions(memory, fs::perms::all);
    for (const fs::path& above :
         {fs::path(temporary_->path().toStdString()), store_->directory().parent_path()})
      fs::permissions(above, fs::perms::all);
    constexpr fs::perms kWrite = fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
    fs::permissions(store_->directory(), fs::perms::all & ~kWrite);
    store_ = std::make_unique<CheckpointStore>(store_->directory(), memory);
    protocol::Manifest manifest;
    bool written = true;
    {
      const testing::Unprivileged user;
      written = store_->write_in_memory(manifest, {file("model", "2")}).has_value();
    }
    fs::permissions(store_->directory(), fs::perms::owner_all);
    QVERIFY(!written);
    QVERIFY(fs::is_empty(memory));
    QCOMPARE(protocol::list_checkpoints(store_->directory()).size(), 1u);
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

BATCHSCOPE_TEST(TestCheckpointStore)
#include "test_checkpoint_store.moc"
