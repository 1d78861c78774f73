// SPDX-License-Identifier: Apache-2.0
//
// Whatever happens to the writer, the store holds exactly what was committed.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTest>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "script.h"
#include "store_test.h"

using namespace batchscope;
using namespace batchscope::storage;
using test::Contents;
using test::error_of;
using test::Folder;
using test::same;
using test::Script;

namespace {

bool same(const Contents& a, const Contents& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) {
           return x.first == y.first && test::same(x.second, y.second);
         });
}

// scripted_writer in a process of its own.
class Writer {
 public:
  Writer(const std::filesystem::path& file, std::uint64_t seed, int generation) {
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      execl(SCRIPTED_WRITER, SCRIPTED_WRITER, file.c_str(), std::to_string(seed).c_str(),
            std::to_string(generation).c_str(), nullptr);
      _exit(127);
    }
    close(ends[1]);
    reports_ = ends[0];
  }

  void wait_for_first_commit() {
    char byte = 0;
    commits_ += read(reports_, &byte, 1);
  }

  // The commits it has reported; it may have made one more.
  std::size_t kill() {
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    char bytes[4096];
    for (ssize_t n = 0; (n = read(reports_, bytes, sizeof bytes)) > 0;) commits_ += n;
    close(reports_);
    return static_cast<std::size_t>(commits_);
  }

 private:
  pid_t pid_ = 0;
  int reports_ = -1;
  ssize_t commits_ = 0;
};

// Files may not grow beyond the size while this lives: the disk is full.
class FullDisk {
 public:
  explicit FullDisk(std::uint64_t size) {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{size, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace

class TestDurability : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void anySequenceReadsBackExactly_data() {
    QTest::addColumn<int>("seed");
    for (int seed = 1; seed <= 4; ++seed) QTest::addRow("seed %d", seed) << seed;
  }

  // Appends, commits, reopenings of either side, and reads, in any order.
  void anySequenceReadsBackExactly() {
    QFETCH(int, seed);
    const Folder folder;
    const auto file = folder / "samples.db";
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    std::optional<SampleWriter> writer(file);
    std::optional<SampleReader> reader(file);
    Contents committed, pending;
    int generation = 0;
    std::optional<Script> script(std::in_place, random(), generation);
    for (int i = 0; i < 250; ++i) {
      const auto appends = script->next();
      test::write(*writer, appends);
      test::add(pending, appends);
      switch (random() % 12) {
        case 0:
          writer.reset();  // commits
          writer.emplace(file);
          committed = pending;
          break;
        case 1: reader.emplace(file); break;
        case 2: script.emplace(random(), ++generation); break;
        case 3:
        case 4: QVERIFY(same(test::contents_of(*reader), committed)); break;
        default: writer->commit(); committed = pending;
      }
      if (committed.empty()) continue;
      const auto& [key, samples] =
          *std::next(committed.begin(), static_cast<std::ptrdiff_t>(random() % committed.size()));
      const std::int64_t from = static_cast<std::int64_t>(random() % 20000),
                         to = from + static_cast<std::int64_t>(random() % 5000);
      std::vector<Sample> expected;
      std::copy_if(samples.begin(), samples.end(), std::back_inserter(expected),
                   [&](const Sample& s) { return s.step >= from && s.step <= to; });
      QVERIFY(same(reader->read(key.first, key.second, from, to), expected));
      std::int64_t count = 0;
      for (const Bucket& bucket : reader->summarize(key.first, key.second, from, to, 10))
        count += bucket.count;
      QCOMPARE(count, static_cast<std::int64_t>(expected.size()));
    }
    QVERIFY(same(test::contents_of(*reader), committed));
  }

  void aKilledWriterLosesNothingThatItCommitted() {
    const Folder folder;
    const auto file = folder / "samples.db";
    std::mt19937_64 random(11);
    Contents expected;
    for (int generation = 0; generation < 8; ++generation) {
      const std::uint64_t seed = random();
      Writer writer(file, seed, generation);
      writer.wait_for_first_commit();
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 100'000));
      const std::size_t commits = writer.kill();
      Script script(seed, generation);
      for (std::size_t i = 0; i < commits; ++i) test::add(expected, script.next());
      SampleReader reader(file);
      const Contents found = test::contents_of(reader);
      if (!same(found, expected)) {
        test::add(expected, script.next());  // committed, killed before it could say so
        QVERIFY(same(found, expected));
      }
    }
    SampleWriter writer(file);  // checks the file
    QVERIFY(writer.repairs().empty());
  }

  void readersFollowAWriterInAnotherProcess() {
    const Folder folder;
    const auto file = folder / "samples.db";
    Writer writer(file, 5, 0);
    writer.wait_for_first_commit();
    std::atomic<bool> wrong = false;
    std::vector<Contents> seen(3);
    std::vector<std::thread> threads;
    for (Contents& contents : seen)
      threads.emplace_back([&] {
        const auto error = error_of([&] {
          SampleReader reader(file);
          const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(600);
          while (std::chrono::steady_clock::now() < end) {
            Contents now = test::contents_of(reader);
            for (const auto& [key, samples] : contents) {  // what was there is there
              auto& longer = now[key];
              if (longer.size() < samples.size() ||
                  !same(samples,
                        {longer.begin(), longer.begin() + static_cast<std::ptrdiff_t>(samples.size())}))
                wrong = true;
            }
            contents = std::move(now);
          }
        });
        if (error) wrong = true;
      });
    for (std::thread& thread : threads) thread.join();
    const std::size_t commits = writer.kill();
    QVERIFY(!wrong);
    Contents expected;
    Script script(5, 0);
    for (std::size_t i = 0; i <= commits; ++i) test::add(expected, script.next());
    for (const Contents& contents : seen)
      for (const auto& [key, samples] : contents) {
        QVERIFY(!samples.empty());
        const auto& longer = expected[key];
        QVERIFY(longer.size() >= samples.size());
        QVERIFY(
            same(samples, {longer.begin(), longer.begin() + static_cast<std::ptrdiff_t>(samples.size())}));
      }
  }

  // The reader's threads must not keep the writer waiting either: a reader in the middle of a call is
  // the only one who could.
  void aReaderDoesNotBlockTheWriter() {
    const Folder folder;
    SampleWriter writer(folder / "samples.db");
    writer.append(0, "x", 1, 1.0);
    writer.commit();
    sqlite3* connection = nullptr;  // a reader that never ends its transaction
    QCOMPARE(sqlite3_open((folder / "samples.db").c_str(), &connection), SQLITE_OK);
    QCOMPARE(sqlite3_exec(connection, "BEGIN; SELECT count(*) FROM batch", nullptr, nullptr, nullptr),
             SQLITE_OK);
    for (int i = 2; i < 100; ++i) {
      writer.append(0, "x", i, 1.0);
      writer.commit();
    }
    QCOMPARE(SampleReader(folder / "samples.db").read("x", 0).size(), 99u);
    sqlite3_close(connection);
  }

  void aFullDiskKeepsWhatWasAppendedForTheNextTry() {
    const Folder folder;
    const auto file = folder / "samples.db";
    SampleWriter writer(file);
    Script script(3, 0);
    Contents committed, all;
    int failures = 0;
    {
      const FullDisk full(400'000);
      for (int i = 0; i < 60; ++i) {
        const auto appends = script.next();
        test::write(writer, appends);
        test::add(all, appends);
        const auto error = error_of([&] { writer.commit(); });
        if (!error) {
          committed = all;
        } else {
          ++failures;
          QCOMPARE(error->kind(), ErrorKind::io);
          QVERIFY(std::string(error->what()).find(file.string()) != std::string::npos);
        }
      }
      SampleReader reader(file);
      QVERIFY(same(test::contents_of(reader), committed));
    }
    QVERIFY(failures > 0);
    writer.commit();
    SampleReader reader(file);
    QVERIFY(same(test::contents_of(reader), all));
  }
};

QTEST_APPLESS_MAIN(TestDurability)
#include "test_durability.moc"
