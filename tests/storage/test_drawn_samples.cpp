// SPDX-License-Identifier: Apache-2.0
//
// Series as they are drawn: in buckets, of which summaries tell without the samples.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "ramp.h"
#include "rows.h"
#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;

class TestDrawnSamples : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { folder_ = {}; }

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

 private:
  Folder folder_;
};

BATCHSCOPE_TEST(TestDrawnSamples)
#include "test_drawn_samples.moc"
