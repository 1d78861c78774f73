// SPDX-License-Identifier: Apache-2.0
//
// Durability: the store holds exactly what was committed, whatever happens to the writer.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "full_disk.h"
#include "script.h"
#include "store_test.h"
#include "test_case.h"
#include "writer_process.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;

class TestDurability : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { folder_ = {}; }

  void anySequenceReadsBackExactly_data() {
    QTest::addColumn<int>("seed");
    for (int seed = 1; seed <= 4; ++seed) QTest::addRow("seed %d", seed) << seed;
  }

  // Appends, commits, reopenings of either side, and reads, in any order.
  void anySequenceReadsBackExactly() {
    QFETCH(int, seed);
    const auto file = folder_ / "samples.db";
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
        case 4: QVERIFY(same(contents_of(*reader), committed)); break;
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
    QVERIFY(same(contents_of(*reader), committed));
  }

  void readersFollowAWriterInAnotherProcess() {
    const auto file = folder_ / "samples.db";
    WriterProcess writer(file, 5, 0, Steps::ascending);
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
            Contents now = contents_of(reader);
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
    writer.kill();
    QVERIFY(!wrong);
    Contents expected;
    if (writer.replay(expected, [] {})) writer.add_unsaid(expected);
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
    SampleWriter writer(folder_ / "samples.db");
    writer.append(0, "x", 1, 1.0);
    writer.commit();
    sqlite3* connection = nullptr;  // a reader that never ends its transaction
    QCOMPARE(sqlite3_open((folder_ / "samples.db").c_str(), &connection), SQLITE_OK);
    QCOMPARE(sqlite3_exec(connection, "BEGIN; SELECT count(*) FROM batch", nullptr, nullptr, nullptr),
             SQLITE_OK);
    for (int i = 2; i < 100; ++i) {
      writer.append(0, "x", i, 1.0);
      writer.commit();
    }
    QCOMPARE(SampleReader(folder_ / "samples.db").read("x", 0).size(), 99u);
    sqlite3_close(connection);
  }

  void aFullDiskKeepsWhatWasAppendedForTheNextTry() {
    const auto file = folder_ / "samples.db";
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
          VERIFY_HOLDS(error->what(), file.string());
        }
      }
      SampleReader reader(file);
      QVERIFY(same(contents_of(reader), committed));
    }
    QVERIFY(failures > 0);
    writer.commit();
    QCOMPARE(writer.dropped(), 0);
    SampleReader reader(file);
    QVERIFY(same(contents_of(reader), all));
  }

  // Only what a full disk keeps from being written is dropped, and never what came in between two commits.
  void whatWaitsForACommitIsNotDropped() {
    SampleWriter writer(folder_ / "samples.db", 4);
    for (const std::int64_t first : {1, 11}) {
      writer.append(0, "x", first, std::vector<double>(10, 1.0));
      writer.commit();
    }
    QCOMPARE(writer.dropped(), 0);
    QCOMPARE(SampleReader(folder_ / "samples.db").read("x", 0).size(), 20u);
  }

  // However long the disk is full: memory is bounded, and the hole is what was counted, no more.
  void whatDoesNotFitIntoMemoryIsDroppedAndCounted() {
    const auto file = folder_ / "samples.db";
    constexpr std::size_t kMost = 5'000;
    SampleWriter writer(file, kMost);
    std::int64_t step = 1, first_lost = 0;
    const auto append = [&](int values) {
      const std::int64_t before = writer.dropped();
      for (int i = 0; i < values; ++i, ++step) writer.append(0, "x", step, static_cast<double>(step));
      if (first_lost == 0 && writer.dropped() > before) first_lost = step - (writer.dropped() - before);
    };
    append(1000);
    writer.commit();
    {
      const FullDisk full(1);
      for (int i = 0; i < 20; ++i) {
        append(1000);
        QCOMPARE(kind_of([&] { writer.commit(); }), "io");
      }
      writer.append(0, "of nothing but what was dropped", 1, 1.0);
      QCOMPARE(writer.dropped(), 15'001);
    }
    const std::int64_t resumed = step;
    writer.commit();
    append(1000);
    writer.commit();
    QCOMPARE(writer.dropped(), 15'001);
    QCOMPARE(SampleReader(file).series().size(), 1u);
    const auto samples = SampleReader(file).read("x", 0);
    QCOMPARE(samples.size(), 22'000u - 15'000u);
    for (const Sample& sample : samples) {
      QCOMPARE(sample.value, static_cast<double>(sample.step));
      QVERIFY(sample.step < first_lost || sample.step >= resumed);
    }
  }

 private:
  Folder folder_;
};

BATCHSCOPE_TEST(TestDurability)
#include "test_durability.moc"
