// SPDX-License-Identifier: Apache-2.0
//
// Series as a writer and a reader of the same file see them.
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>

#include "database/database.h"
#include "hindered.h"
#include "ramp.h"
#include "rows.h"
#include "samples/samples_schema.h"
#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;

namespace {

// The errno of every lock; 0: the system's own answer.
int refusal_of_flock = 0;

// The batches that have not been made chunks yet.
std::int64_t count_batches(const std::filesystem::path& file) {
  Database database(file, samples_schema(), Access::read);
  Query row = database.query("SELECT count(*) FROM batch");
  row.next();
  return row.integer(0);
}

}  // namespace

// Stands in the place of the C library's in this program.
int flock(int descriptor, int operation) noexcept {
  if (refusal_of_flock == 0) return static_cast<int>(syscall(SYS_flock, descriptor, operation));
  errno = refusal_of_flock;
  return -1;
}

class TestSamples : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { folder_ = {}; }

  void nothingIsThereBeforeTheFirstCommit() {
    const auto file = folder_ / "samples.db";
    QCOMPARE(kind_of([&] { SampleReader reader(file); }), "not_found");
    SampleWriter writer(file);
    SampleReader reader(file);
    QVERIFY(reader.series().empty());
    writer.append(0, "loss", 1, 0.5);
    QVERIFY(reader.series().empty());
    QVERIFY(!reader.changed());
    writer.commit();
    QVERIFY(reader.changed());
    QVERIFY(!reader.changed());
    QCOMPARE(reader.series().size(), 1u);
    QCOMPARE(reader.read("loss", 0).size(), 1u);
    QVERIFY(reader.read("loss", 1).empty());
    QVERIFY(reader.read("gain", 0).empty());
  }

  void everyBitOfAValueSurvives() {
    const double signalling = std::bit_cast<double>(std::uint64_t{0xfff0dead00000001});
    const std::vector<double> values{0.0, -0.0, kNan, -kNan, kInf, -kInf, signalling, 5e-324, 1.7e308, 0.1};
    std::vector<Sample> expected;
    for (std::size_t i = 0; i < values.size(); ++i)
      expected.push_back({static_cast<std::int64_t>(i) + 1, values[i]});
    {
      SampleWriter writer(folder_ / "samples.db");
      writer.append(0, "x", 1, values);
      writer.commit();
      QVERIFY(same(SampleReader(folder_ / "samples.db").read("x", 0), expected));  // from a batch
    }
    QVERIFY(same(SampleReader(folder_ / "samples.db").read("x", 0), expected));  // from a chunk
  }

  void generationsAreKeptApart() {
    SampleWriter writer(folder_ / "samples.db");
    writer.append(0, "loss", 1, ramp(100));
    writer.append(2, "loss", 51, ramp(10, 1000));
    writer.append(2, "gain", 51, 1.5);
    writer.commit();
    SampleReader reader(folder_ / "samples.db");
    QCOMPARE(reader.generations("loss"), (std::vector<int>{0, 2}));
    QCOMPARE(reader.generations("gain"), std::vector<int>{2});
    QVERIFY(reader.generations("nothing").empty());
    QCOMPARE(reader.read("loss", 0, 51, 52).front().value, 50.0);
    QCOMPARE(reader.read("loss", 2, 51, 52).front().value, 1000.0);
    const auto series = reader.series();
    QCOMPARE(series.size(), 2u);
    QCOMPARE(series[0].name, std::string("gain"));
    QCOMPARE(series[1].count, 110);
  }

  void stepsNeedNotBeConsecutive() {
    std::vector<Sample> expected;
    {
      SampleWriter writer(folder_ / "samples.db");
      for (int i = 0; i < 3000; ++i) {
        const std::int64_t step = i * 40 + i % 3;
        writer.append(0, "accuracy", step, i * 0.001);
        expected.push_back({step, i * 0.001});
        if (i % 500 == 0) writer.commit();
      }
      writer.append(0, "accuracy", expected.back().step, 1.0);  // twice at one step
      expected.push_back({expected.back().step, 1.0});
    }
    SampleReader reader(folder_ / "samples.db");
    QVERIFY(same(reader.read("accuracy", 0), expected));
    QCOMPARE(reader.read("accuracy", 0, 39 * 40 + 5, 39 * 40 + 5).size(), 0u);
    QCOMPARE(reader.read("accuracy", 0, expected[1500].step, expected[1502].step).size(), 3u);
  }

  void stepsMayComeLateUntilTheyAreSealed() {
    SampleWriter writer(folder_ / "samples.db");
    writer.append(0, "x", 10, ramp(5));
    writer.commit();
    writer.append(0, "x", 3, -1.0);
    writer.commit();
    SampleReader reader(folder_ / "samples.db");
    QCOMPARE(reader.read("x", 0).front().step, 3);
    writer.append(0, "x", 15, ramp(70'000));
    writer.commit();  // seals
    VERIFY_THROWS("usage", "'x': step 4", writer.append(0, "x", 4, -2.0));
    writer.commit();
    QCOMPARE(reader.read("x", 0).size(), 70'006u);
  }

  void aSealedStepIsSealedAfterReopening() {
    { SampleWriter(folder_ / "samples.db").append(0, "x", 1, ramp(1025)); }  // step 1024 ends a full chunk
    SampleWriter writer(folder_ / "samples.db");
    VERIFY_THROWS("usage", "sealed up to step 1024", writer.append(0, "x", 1023, -1.0));
    writer.append(0, "x", 1024, -2.0);
    writer.commit();
    const auto samples = SampleReader(folder_ / "samples.db").read("x", 0, 1023);
    QVERIFY(same(samples, {{1023, 1022}, {1024, 1023}, {1024, -2}, {1025, 1024}}));
  }

  // All numbers of samples around those that fill chunks, and all ranges around the chunks' ends.
  void everyEdgeIsInItsRange() {
    const std::vector<std::int64_t> counts{1, 2, 1023, 1024, 1025, 2047, 2048, 2049};
    const std::vector<std::int64_t> edges{0, 1, 2, 1023, 1024, 1025, 1026, 2047, 2048, 2049, 2050};
    {
      SampleWriter writer(folder_ / "samples.db");
      for (const std::int64_t count : counts)
        writer.append(0, std::to_string(count), 1, ramp(static_cast<std::size_t>(count), 1));
    }
    SampleReader reader(folder_ / "samples.db");
    for (const std::int64_t count : counts)
      for (const std::int64_t from : edges)
        for (const std::int64_t to : edges) {
          const std::string series = std::to_string(count);
          const std::int64_t first = std::max<std::int64_t>(from, 1), last = std::min(to, count);
          const std::int64_t expected = std::max<std::int64_t>(last - first + 1, 0);
          const std::vector<Sample> read = reader.read(series, 0, from, to);
          QCOMPARE(static_cast<std::int64_t>(read.size()), expected);
          QVERIFY(same(reader.read_positions(series, 0, first - 1, to - first + 1), read));
          std::int64_t summarised = 0;
          const std::vector<Bucket> buckets = reader.summarize(series, 0, from, to, 2);
          for (const Bucket& bucket : buckets) summarised += bucket.count;
          QCOMPARE(summarised, expected);
          if (expected == 0) continue;
          QCOMPARE(read.front().step, first);
          QCOMPARE(read.back().value, static_cast<double>(last));
          QCOMPARE(buckets.front().first_step, first);
          QCOMPARE(buckets.back().max, static_cast<double>(last));
        }
  }

  void samplesOfOneStepMayLieInSeveralChunks() {
    {
      SampleWriter writer(folder_ / "samples.db");
      writer.append(0, "x", 1, ramp(1000));
      for (int i = 0; i < 1100; ++i) writer.append(0, "x", 1001, i);
      writer.append(0, "x", 1002, ramp(1000));
    }
    SampleReader reader(folder_ / "samples.db");
    const auto same_step = reader.read("x", 0, 1001, 1001);
    QCOMPARE(same_step.size(), 1100u);
    for (std::size_t i = 0; i < same_step.size(); ++i) QCOMPARE(same_step[i].value, static_cast<double>(i));
    QCOMPARE(reader.read("x", 0, 0, 1000).size(), 1000u);
    QCOMPARE(reader.read("x", 0, 1002).size(), 1000u);
    std::int64_t count = 0;
    for (const Bucket& bucket : reader.summarize("x", 0, 1001, 1001, 1)) count += bucket.count;
    QCOMPARE(count, 1100);
  }

  void positionsEndWithTheSeries() {
    SampleWriter writer(folder_ / "samples.db");
    writer.append(0, "x", 1, ramp(10));
    writer.commit();
    SampleReader reader(folder_ / "samples.db");
    QCOMPARE(reader.read_positions("x", 0, 4, INT64_MAX).size(), 6u);
    QVERIFY(reader.read_positions("x", 0, 4, 0).empty());
    QVERIFY(reader.read_positions("x", 0, -1, 5).empty());
    QVERIFY(reader.read_positions("x", 0, INT64_MAX, INT64_MAX).empty());
  }

  // The last value was not committed: behind others that were, and alone.
  void closingWritesWhatWaits() {
    for (const bool some_is_committed : {false, true}) {
      const auto file = folder_ / (some_is_committed ? "some.db" : "none.db");
      {
        SampleWriter writer(file);
        if (some_is_committed) {
          writer.append(0, "x", 1, 1.0);
          writer.commit();
        }
        writer.append(0, "x", 2, 2.0);
      }
      QCOMPARE(SampleReader(file).read("x", 0).back().value, 2.0);
      QCOMPARE(SampleReader(file).read("x", 0).size(), some_is_committed ? 2u : 1u);
      QCOMPARE(count_batches(file), 0);
    }
  }

  // Else the next writer would take the file for one whose writer was killed, and search it for damage.
  void closingEmptiesTheLogUnderAReader() {
    const auto file = folder_ / "samples.db";
    std::optional<SampleWriter> writer(file);
    writer->append(0, "x", 1, ramp(100));
    writer->commit();
    SampleReader reader(file);
    QCOMPARE(reader.read("x", 0).size(), 100u);
    writer.reset();
    QCOMPARE(std::filesystem::file_size(file.string() + "-wal"), 0u);
    QCOMPARE(reader.read("x", 0).size(), 100u);
  }

  // 4,096 batches, and what goes beyond them makes chunks of all.
  void batchesAreFewEnough() {
    const auto file = folder_ / "samples.db";
    SampleWriter writer(file);
    for (const int half : {0, 1}) {
      for (int i = 0; i < 2048; ++i) writer.append(half, "series " + std::to_string(i), 1, i);
      writer.commit();
      QCOMPARE(count_batches(file), 2048 * (half + 1));
    }
    writer.commit();  // nothing
    QCOMPARE(count_batches(file), 4096);
    writer.append(0, "series 0", 2, 0.5);
    writer.commit();
    QCOMPARE(count_batches(file), 0);
    for (int step = 3; step < 5; ++step) {
      writer.append(0, "series 0", step, 0.5);
      writer.commit();
      QCOMPARE(count_batches(file), step - 2);
    }
    QCOMPARE(SampleReader(file).read("series 0", 0).size(), 4u);
    QCOMPARE(SampleReader(file).series().size(), 2048u);
  }

  void samplesInBatchesAreFewEnough() {
    const auto file = folder_ / "samples.db";
    SampleWriter writer(file);
    for (const int half : {0, 1}) {
      writer.append(0, "x", 1 + 32768 * half, ramp(32768));
      writer.commit();
      QCOMPARE(count_batches(file), half + 1);
    }
    writer.append(0, "x", 65537, 0.5);
    writer.commit();
    QCOMPARE(count_batches(file), 0);
    writer.append(0, "x", 65538, ramp(32768));
    writer.commit();
    QCOMPARE(count_batches(file), 1);
    QCOMPARE(SampleReader(file).read("x", 0).size(), 98305u);
  }

  void aLiveReaderFollowsByStep() {
    SampleWriter writer(folder_ / "samples.db");
    std::vector<Sample> expected, seen;
    std::optional<SampleReader> reader;
    std::int64_t step = 1;
    for (int commit = 0; commit < 3000; ++commit) {
      for (const char* series : {"a", "b"}) writer.append(0, series, step, ramp(5, commit));
      for (int i = 0; i < 5; ++i) expected.push_back({step + i, static_cast<double>(commit + i)});
      step += 5;
      writer.commit();
      if (!reader) reader.emplace(folder_ / "samples.db");
      const auto news = reader->read("a", 0, seen.empty() ? 0 : seen.back().step + 1);
      QCOMPARE(news.size(), 5u);
      seen.insert(seen.end(), news.begin(), news.end());
    }
    QVERIFY(same(seen, expected));
    QVERIFY(same(reader->read("b", 0), expected));
    QCOMPARE(reader->series()[0].count, 15'000);
  }

  // Whatever it is asked for first after a commit.
  void aLiveReaderSeesEachCommit() {
    SampleWriter writer(folder_ / "samples.db");
    std::optional<SampleReader> reader;
    std::int64_t count = 0;
    const auto commit = [&] {
      writer.append(0, "x", count++, 0.5);
      writer.commit();
    };
    commit();
    reader.emplace(folder_ / "samples.db");
    for (int round = 0; round < 2; ++round) {
      commit();
      QCOMPARE(reader->summarize("x", 0, 0, INT64_MAX, 1).at(0).count, count);
      commit();
      QCOMPARE(static_cast<std::int64_t>(reader->read_positions("x", 0, 0, 100).size()), count);
      commit();
      QCOMPARE(reader->series().at(0).count, count);
      commit();
      QCOMPARE(static_cast<std::int64_t>(reader->read("x", 0).size()), count);
    }
  }

  void onlyOneWriterAtATime() {
    std::optional<SampleWriter> writer(folder_ / "samples.db");
    QCOMPARE(kind_of([&] { SampleWriter second(folder_ / "samples.db"); }), "conflict");
    writer.reset();
    SampleWriter next(folder_ / "samples.db");
  }

  // As some file systems of networks.
  void whereThereAreNoLocksItIsRecordedAllTheSame() {
    refusal_of_flock = ENOLCK;
    std::optional<SampleWriter> writer(folder_ / "samples.db");
    refusal_of_flock = 0;
    writer->append(0, "x", 1, 1.0);
    writer.reset();
    QCOMPARE(SampleReader(folder_ / "samples.db").read("x", 0).size(), 1u);
  }

  void aFolderThatCannotBeOpenedIsTold() {
    std::optional<testing::NoMoreFiles> hindered(std::in_place);
    const std::string thrown = testing::thrown_by([&] { SampleWriter(folder_ / "samples.db"); });
    hindered.reset();
    QCOMPARE(thrown, "io: cannot open the folder " + folder_.path().string() + ": Too many open files");
  }

 private:
  Folder folder_;
};

BATCHSCOPE_TEST(TestSamples)
#include "test_samples.moc"
