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
#include <numeric>
#include <random>

#include "database/database.h"
#include "hindered.h"
#include "rows.h"
#include "samples/samples_schema.h"
#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

std::vector<double> ramp(std::size_t count, double from = 0) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), from);
  return values;
}

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

  // Every bucket says what the samples between its steps say, the buckets are all the samples, and there
  // are no more of them than asked for.
  void summariesEqualBruteForce() {
    std::mt19937_64 random(7);
    std::vector<Sample> all;
    SampleWriter writer(folder_ / "samples.db");
    std::normal_distribution<double> noise(0, 1);
    std::int64_t step = 100;
    while (all.size() < 180'000) {
      std::vector<double> values(1 + random() % 3000);
      for (double& value : values) value = random() % 50 ? noise(random) : random() % 2 ? kNan : kInf;
      writer.append(3, "x", step, values);
      for (const double value : values) all.push_back({step++, value});
      if (random() % 4 == 0) step += static_cast<std::int64_t>(random() % 50);
      if (random() % 3 == 0) writer.commit();
    }
    writer.commit();
    SampleReader reader(folder_ / "samples.db");
    for (int round = 0; round < 300; ++round) {
      std::int64_t from = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(step + 200));
      std::int64_t to = from + static_cast<std::int64_t>(
                                   random() % static_cast<std::uint64_t>(round % 3 == 0 ? 500 : step + 200));
      if (round == 0) {
        from = 0;
        to = INT64_MAX;
      }
      const int columns = 1 + static_cast<int>(random() % (round % 4 == 0 ? 8 : 2000));
      const auto buckets = reader.summarize("x", 3, from, to, columns);
      QVERIFY(buckets.size() <= 2u * static_cast<unsigned>(columns));
      auto sample = std::find_if(all.begin(), all.end(), [&](const Sample& s) { return s.step >= from; });
      for (const Bucket& bucket : buckets) {
        Bucket expected{sample->step, sample->step, 0, kNan, kNan, kNan};
        double sum = 0, finite = 0;
        for (; sample != all.end() && sample->step <= bucket.last_step; ++sample) {
          expected.last_step = sample->step;
          ++expected.count;
          if (!std::isfinite(sample->value)) continue;
          expected.min = finite == 0 ? sample->value : std::min(expected.min, sample->value);
          expected.max = finite == 0 ? sample->value : std::max(expected.max, sample->value);
          sum += sample->value;
          ++finite;
        }
        QCOMPARE(bucket.first_step, expected.first_step);
        QCOMPARE(bucket.last_step, expected.last_step);
        QCOMPARE(bucket.count, expected.count);
        if (finite == 0) {
          QVERIFY(std::isnan(bucket.min) && std::isnan(bucket.max) && std::isnan(bucket.mean));
        } else {
          QCOMPARE(bucket.min, expected.min);
          QCOMPARE(bucket.max, expected.max);
          QVERIFY(std::abs(bucket.mean - sum / finite) < 1e-12);
        }
      }
      QVERIFY(sample == all.end() || sample->step > to);
    }
  }

  // Groups of the smallest power of two of which at most 2 * columns suffice, wherever the range begins.
  void bucketsAreAsNarrowAsColumnsAllow_data() {
    const auto row = testing::columns<int, int, int>({"count", "columns", "buckets"});
    row("one", 1, 1, 1);
    row("two in a column", 2, 1, 1);
    row("no columns are one", 2, 0, 1);
    row("nor are fewer", 5, -3, 1);
    row("a sample a bucket", 7, 4, 7);
    row("one more: pairs", 8, 4, 4);
    row("pairs", 14, 4, 7);
    row("one more: fours", 15, 4, 4);
    row("fours", 28, 4, 7);
    row("one more: eights", 29, 4, 4);
    row("a summary of the first level a bucket", 992, 16, 31);
    row("one more: two of them", 993, 16, 16);
    row("a chunk a bucket", 31 * 1024, 16, 31);
    row("one more: two chunks", 31 * 1024 + 1, 16, 16);
  }
  void bucketsAreAsNarrowAsColumnsAllow() {
    QFETCH(int, count);
    QFETCH(int, columns);
    QFETCH(int, buckets);
    { SampleWriter(folder_ / "samples.db").append(0, "x", 1, ramp(static_cast<std::size_t>(count))); }
    const auto found = SampleReader(folder_ / "samples.db").summarize("x", 0, 1, INT64_MAX, columns);
    QCOMPARE(static_cast<int>(found.size()), buckets);
  }

  // So that they do not flicker while a series grows: only the first and the last one are cut by the range.
  void bucketsBeginAtMultiplesOfTheirWidth() {
    { SampleWriter(folder_ / "samples.db").append(0, "x", 0, ramp(2048)); }
    SampleReader reader(folder_ / "samples.db");
    const auto first_steps = [&](std::int64_t from, std::int64_t to, int columns) {
      std::vector<std::int64_t> steps;
      for (const Bucket& bucket : reader.summarize("x", 0, from, to, columns))
        steps.push_back(bucket.first_step);
      return steps;
    };
    QCOMPARE(first_steps(3, 22, 4), (std::vector<std::int64_t>{3, 4, 8, 12, 16, 20}));
    QCOMPARE(first_steps(1021, 1030, 2), (std::vector<std::int64_t>{1021, 1024, 1028}));  // in two chunks
    QCOMPARE(first_steps(30, 129, 2), (std::vector<std::int64_t>{30, 64, 128}));  // in summaries of 32
  }

  void theLastStepsAreDrawn() {
    SampleWriter writer(folder_ / "samples.db");
    writer.append(0, "x", INT64_MAX - 2, ramp(2));
    writer.commit();
    const auto buckets = SampleReader(folder_ / "samples.db").summarize("x", 0, 0, INT64_MAX, 1);
    QCOMPARE(buckets.size(), 1u);
    QCOMPARE(buckets[0].count, 2);
    QCOMPARE(buckets[0].last_step, INT64_MAX - 1);
  }

  void finiteValuesWhoseSumIsNotHaveAMean() {
    SampleWriter writer(folder_ / "samples.db");
    writer.append(0, "x", 1, std::vector{1.5e308, 1.2e308, kNan, 1.5e308});
    writer.append(0, "y", 1, std::vector{-1.5e308, -1.5e308, kInf});
    writer.append(0, "z", 1, std::vector{1.5e308, 1.5e308, -1.5e308, -1.5e308});
    writer.commit();
    SampleReader reader(folder_ / "samples.db");
    QCOMPARE(reader.summarize("x", 0, 0, INT64_MAX, 1).at(0).mean, 1.4e308);
    QCOMPARE(reader.summarize("y", 0, 0, INT64_MAX, 1).at(0).mean, -1.5e308);
    QCOMPARE(reader.summarize("z", 0, 0, INT64_MAX, 1).at(0).mean, 0.0);
  }

  void drawingReadsFewRowsHoweverLongTheSeries() {
    SampleWriter writer(folder_ / "samples.db");
    constexpr int kColumns = 100;
    std::int64_t step = 1;
    for (const int thousands : {100, 900, 2000}) {
      for (int i = 0; i < thousands; ++i, step += 1000) writer.append(0, "x", step, ramp(1000));
      writer.commit();
      SampleReader reader(folder_ / "samples.db");
      const auto before = reader.rows_read();
      const auto buckets = reader.summarize("x", 0, 0, INT64_MAX, kColumns);
      QVERIFY(buckets.size() > kColumns / 2);
      QVERIFY2(reader.rows_read() - before < 3 * kColumns,
               qPrintable(QString::number(reader.rows_read() - before)));
    }
  }

  // 64 chunks, a bucket a chunk: two rows of the second level say it, in place of 64 of the first.
  void drawingReadsTheCoarsestTierThatSuffices() {
    { SampleWriter(folder_ / "samples.db").append(0, "x", 1, ramp(64 * 1024)); }
    SampleReader reader(folder_ / "samples.db");
    QCOMPARE(reader.summarize("x", 0, 0, INT64_MAX, 33).size(), 64u);
    QVERIFY2(reader.rows_read() <= 10, qPrintable(QString::number(reader.rows_read())));
    const auto before = reader.rows_read();
    QCOMPARE(reader.read("x", 0).size(), 64u * 1024);
    QVERIFY(reader.rows_read() - before >= 64);  // they are counted
  }

  // Infinities and NaN are counted, and no more: min, max and mean are those of the rest, wherever it lies.
  void infinitiesDoNotHideTheRest() {
    constexpr int kHalf = 2048;
    {
      SampleWriter writer(folder_ / "samples.db");
      std::vector<double> values(2 * kHalf, kNan);
      std::fill(values.begin() + kHalf, values.end(), 3.0);
      writer.append(0, "late", 0, values);
      std::reverse(values.begin(), values.end());
      writer.append(0, "early", 0, values);
    }
    SampleReader reader(folder_ / "samples.db");
    for (const char* series : {"late", "early"}) {
      const auto buckets = reader.summarize(series, 0, 0, INT64_MAX, 1);
      QCOMPARE(buckets.size(), 1u);
      QCOMPARE(buckets[0].count, 2 * kHalf);
      QVERIFY(buckets[0].min == 3 && buckets[0].max == 3 && std::abs(buckets[0].mean - 3) < 1e-12);
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
