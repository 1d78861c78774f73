// SPDX-License-Identifier: Apache-2.0
//
// Flipped bits are found and named, and cost nothing but what they hit.
#include <cmath>
#include <fstream>
#include <numeric>
#include <random>

#include "batchscope/storage/annotation.h"
#include "batchscope/storage/maintenance.h"
#include "full_disk.h"
#include "rows.h"
#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;

namespace {

constexpr std::int64_t kChunk = 1024;

bool flip_bit(const std::filesystem::path& file, const char* table, const char* column, std::int64_t row,
              std::size_t bit) {
  sqlite3* connection = nullptr;
  sqlite3_blob* blob = nullptr;
  unsigned char byte = 0;
  const int at = static_cast<int>(bit / 8);
  bool done = sqlite3_open(file.c_str(), &connection) == SQLITE_OK &&
              sqlite3_blob_open(connection, "main", table, column, row, 1, &blob) == SQLITE_OK &&
              sqlite3_blob_read(blob, &byte, 1, at) == SQLITE_OK;
  byte = static_cast<unsigned char>(byte ^ (1u << (bit % 8)));
  done = done && sqlite3_blob_write(blob, &byte, 1, at) == SQLITE_OK;
  sqlite3_blob_close(blob);
  sqlite3_close(connection);
  return done;
}

// Copies the file as a kill of the writer leaves it.
void copy_unclosed(const std::filesystem::path& file, const std::filesystem::path& copy) {
  std::filesystem::create_directories(copy.parent_path());
  for (const char* end : {"", "-wal"}) std::filesystem::copy_file(file.string() + end, copy.string() + end);
}

// Steps 1 .. chunks * 1024 + 100 of "x" with their step as the value; a gap of one step in each chunk
// where gaps are wanted.
std::int64_t fill(const std::filesystem::path& file, int chunks, bool gaps = false) {
  SampleWriter writer(file);
  std::int64_t step = 1;
  for (int i = 0; i < chunks * kChunk + 100; ++i) {
    writer.append(0, "x", step, static_cast<double>(step));
    step += gaps && i % kChunk == 500 ? 2 : 1;
  }
  return step - 1;
}

}  // namespace

class TestDamage : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { folder_ = {}; }

  void aFlippedBitInAChunkIsFound() {
    const auto file = folder_ / "samples.db";
    fill(file, 12);
    QVERIFY(flip_bit(file, "chunk", "data", 6, 12345));  // chunk number 5: steps 5121 to 6144
    SampleReader reader(file);
    for (const std::string& part :
         {file.string(), std::string("'x'"), std::string("5121"), std::string("6144")})
      VERIFY_THROWS("corrupt", part, reader.read("x", 0));
    QVERIFY(error_of([&] { reader.read("x", 0, 5500, 5500); }));
    QVERIFY(error_of([&] { reader.summarize("x", 0, 5200, 5300, 1000); }));
    QCOMPARE(reader.read("x", 0, 0, 5119).size(), 5119u);
    QCOMPARE(reader.read("x", 0, 6145).size(), static_cast<std::size_t>(12 * kChunk + 100 - 6144));
    std::int64_t count = 0;  // the tiers are whole
    for (const Bucket& bucket : reader.summarize("x", 0, 0, INT64_MAX, 5)) count += bucket.count;
    QCOMPARE(count, 12 * kChunk + 100);
  }

  void everyPartOfAChunkIsChecked_data() {
    testing::rows("sql", {"first_step = first_step + 100000", "first_step = 0", "last_step = last_step - 1",
                          "count = count - 1", "min = min + 1", "max = NULL", "mean = -mean", "checksum = 0",
                          "steps = x''", "steps = x'00'", "data = x''", "data = substr(data, 9)",
                          "data_checksum = 1", "number = 69", "track = 2"});
  }

  void everyPartOfAChunkIsChecked() {
    QFETCH(QString, sql);
    const auto file = folder_ / "samples.db";
    fill(file, 12, true);
    QVERIFY(meddle(file, "INSERT INTO track VALUES (2, 'y', 0, 0)"));
    QVERIFY(meddle(file, ("UPDATE chunk SET " + sql + " WHERE number = 5").toStdString()));
    SampleReader reader(file);
    for (const auto& [from, to] : {std::pair{0, 1 << 30}, {5300, 5400}, {5100, 5300}, {5400, 7000}})
      QCOMPARE(kind_of([&] { reader.read("x", 0, from, to); }), "corrupt");
    QCOMPARE(reader.read("x", 0, 100, 300).size(), 201u);
    QCOMPARE(reader.read("x", 0, 8001, 8100).size(), 100u);
  }

  // No checksum covers how many samples a track has in chunks, but the last of them says it as well.
  void aCountThatIsWrongIsFound_data() {
    testing::rows("count", {"count - 1024", "count - 1", "count + 1", "count + 4096", "-1", "1 << 60", "0"});
  }
  void aCountThatIsWrongIsFound() {
    QFETCH(QString, count);
    const auto file = folder_ / "samples.db";
    fill(file, 4);
    QVERIFY(meddle(file, ("UPDATE track SET count = " + count).toStdString()));
    SampleReader reader(file);
    QVERIFY(!reader.series().empty());
    VERIFY_THROWS("corrupt", "'x'", reader.read("x", 0));
    VERIFY_THROWS("corrupt", "'x'", reader.summarize("x", 0, 0, INT64_MAX, 10));
    QCOMPARE(check_series(file).faults.size(), 1u);
    VERIFY_HOLDS(check_series(file).faults[0], "'x' of generation 0", "4196");
    VERIFY_THROWS("corrupt", "'x'", SampleWriter writer(file));  // it would write over the chunks
  }

  void everyRowOfSummariesIsChecked() {
    const auto file = folder_ / "samples.db";
    fill(file, 4);
    QVERIFY(flip_bit(file, "tier", "data", 1, 100));
    VERIFY_HOLDS(check_series(file).faults.at(0), "1 rows of summaries");
    QCOMPARE(check_series(file).samples, 4 * kChunk + 100);
  }

  void everyFaultIsListed() {
    const auto file = folder_ / "samples.db";
    fill(file, 2);
    { SampleWriter(file).append(0, "y", 1, 1.0); }
    QVERIFY(meddle(file, "DELETE FROM track WHERE series = 'y'"));
    QVERIFY(flip_bit(file, "chunk", "data", 2, 100));
    SeriesCheck found = check_series(file);
    QCOMPARE(found.faults.size(), 2u);
    VERIFY_HOLDS(found.faults[0], "steps 1025 to 2048 of 'x' of generation 0 are damaged");
    QCOMPARE(found.faults[1], std::string("steps 1 to 1 belong to no series"));
    QCOMPARE(found.samples, kChunk + 100 + 1);
    QVERIFY(meddle(file, "UPDATE chunk SET track = 9 WHERE number = 2"));  // its heading is not sound, either
    found = check_series(file);
    QCOMPARE(found.faults.size(), 5u);
    QCOMPARE(found.faults[0], std::string("'x' of generation 0 should have 2148 samples, but its chunks "
                                          "have 2048"));
    VERIFY_HOLDS(found.faults[2], "steps 2049 to 2148 of a series that is not listed are damaged");
    QCOMPARE(found.faults[3], std::string("steps 2049 to 2148 belong to no series"));
  }

  void aMissingChunkIsFound() {
    const auto file = folder_ / "samples.db";
    fill(file, 4);
    QVERIFY(meddle(file, "DELETE FROM chunk WHERE number = 2"));
    SampleReader reader(file);
    QCOMPARE(kind_of([&] { reader.read("x", 0); }), "corrupt");
    QCOMPARE(reader.read("x", 0, 3074).size(), static_cast<std::size_t>(kChunk + 99));
  }

  void aDamagedTierIsDoneWithout() {
    const auto file = folder_ / "samples.db";
    const std::int64_t last = fill(file, 70);
    const auto expected = SampleReader(file).summarize("x", 0, 0, last, 8);
    int flipped = 0;  // rows that were replaced have left gaps in the row numbers
    for (std::int64_t row = 1; row <= 200; ++row) flipped += flip_bit(file, "tier", "data", row, 200);
    QCOMPARE(flipped, 70 + 3 + 1);
    const auto found = SampleReader(file).summarize("x", 0, 0, last, 8);
    QCOMPARE(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      QCOMPARE(found[i].min, expected[i].min);
      QCOMPARE(found[i].max, expected[i].max);
      QCOMPARE(found[i].count, expected[i].count);
    }
    {
      SampleWriter writer(file);  // goes on all the same
      for (std::int64_t step = last + 1; step < last + 70'000; ++step) writer.append(0, "x", step, 0.0);
    }
    std::int64_t count = 0;
    for (const Bucket& bucket : SampleReader(file).summarize("x", 0, 0, INT64_MAX, 4)) count += bucket.count;
    QCOMPARE(count, last + 69'999);
  }

  // The summaries after a gap stay where they belong, of other samples than those that are lost.
  void aMissingTierRowIsDoneWithout() {
    const auto file = folder_ / "samples.db";
    fill(file, 10);
    QVERIFY(meddle(file, "DELETE FROM tier WHERE level = 2"));
    constexpr std::int64_t kLast = 100 * kChunk;
    {
      SampleWriter writer(file);
      for (std::int64_t step = 10 * kChunk + 101; step <= kLast; ++step)
        writer.append(0, "x", step, static_cast<double>(step));
    }
    for (const int columns : {1, 2, 4, 60}) {
      std::int64_t next = 1;
      for (const Bucket& bucket : SampleReader(file).summarize("x", 0, 0, INT64_MAX, columns)) {
        QCOMPARE(bucket.first_step, next);
        QCOMPARE(bucket.min, static_cast<double>(bucket.first_step));
        QCOMPARE(bucket.max, static_cast<double>(bucket.last_step));
        QCOMPARE(bucket.count, bucket.last_step - bucket.first_step + 1);
        next = bucket.last_step + 1;
      }
      QCOMPARE(next, kLast + 1);
    }
  }

  void aDamagedTailIsSetAsideAndTheRunGoesOn() {
    const auto file = folder_ / "samples.db";
    fill(file, 1);  // leaves an unfinished chunk, number 1
    const auto copy = folder_ / "copy/samples.db";
    {
      SampleWriter writer(file);
      for (int i = 0; i < 5; ++i) {
        for (const char* series : {"x", "y"})
          writer.append(0, series, 1125 + 10 * i, std::vector<double>(10, 1.0));
        writer.commit();
      }
      copy_unclosed(file, copy);
    }
    QVERIFY(flip_bit(copy, "batch", "data", 3, 5));   // "x", steps 1135 to 1144
    QVERIFY(flip_bit(copy, "chunk", "data", 2, 77));  // "x", steps 1025 to 1124
    {
      SampleReader reader(copy);
      QCOMPARE(kind_of([&] { reader.read("x", 0); }), "corrupt");
      for (const auto& [from, to] : {std::pair{1140, 1141}, {1130, 1135}, {1144, 1150}})
        QCOMPARE(kind_of([&] { reader.read("x", 0, from, to); }), "corrupt");
      QCOMPARE(reader.read("x", 0, 1125, 1134).size(), 10u);
      QCOMPARE(reader.read("x", 0, 1145, 2000).size(), 30u);
      QCOMPARE(reader.read("y", 0).size(), 50u);
      QCOMPARE(reader.read("x", 0, 1, 1000).size(), 1000u);
    }
    {
      SampleWriter writer(copy);
      QCOMPARE(writer.repairs().size(), 1u);
      QVERIFY(writer.repairs()[0].find("1135 to 1144 of 'x'") != std::string::npos);
      QCOMPARE(SampleReader(copy).read("x", 0, 1125).size(), 40u);  // what is set aside is in nobody's way
      writer.append(0, "x", 1175, std::vector<double>(5000, 2.0));
    }
    SampleReader reader(copy);
    QCOMPARE(reader.read("x", 0).size(), static_cast<std::size_t>(kChunk + 40 + 5000));
    QCOMPARE(reader.read("y", 0).size(), 50u);
    QVERIFY(meddle(copy, "CREATE TABLE two AS SELECT 1 / ((SELECT count(*) FROM damaged) = 2)"));
  }

  void aTailOfNoSeriesIsSetAside() {
    const auto file = folder_ / "samples.db", copy = folder_ / "copy/samples.db";
    {
      SampleWriter writer(file);
      for (const char* series : {"x", "y"}) writer.append(0, series, 1, 1.0);
      writer.commit();
      copy_unclosed(file, copy);
    }
    QVERIFY(meddle(copy, "DELETE FROM track WHERE series = 'y'"));
    {
      SampleWriter writer(copy);
      QCOMPARE(writer.repairs().size(), 1u);
      VERIFY_HOLDS(writer.repairs()[0], "steps 1 to 1 of a series that is not listed");
    }
    QCOMPARE(SampleReader(copy).read("x", 0).size(), 1u);
    QVERIFY(SampleWriter(copy).repairs().empty());
  }

  // A search takes seconds in a large file; what is damaged is found by whoever reads it.
  void aFileThatWasClosedIsNotSearched() {
    const auto file = folder_ / "samples.db";
    fill(file, 40);
    overwrite(file, std::filesystem::file_size(file) / 4096 / 2 * 4096, std::string(16, '\x55'));
    QVERIFY(!check(file).empty());
    SampleWriter writer(file);
    writer.append(0, "y", 1, 1.0);
    writer.commit();
    QCOMPARE(SampleReader(file).read("y", 0).size(), 1u);
  }

  void aFileThatWasNotClosedIsChecked() {
    const auto file = folder_ / "samples.db";
    fill(file, 40);
    const auto broken = folder_ / "broken/samples.db";
    {
      SampleWriter writer(file);
      writer.append(0, "y", 1, 1.0);
      writer.commit();
      copy_unclosed(file, broken);
    }
    for (std::uintmax_t at = 20 * 4096; at < std::filesystem::file_size(broken) - 4096; at += 4096)
      overwrite(broken, at, std::string(16, '\x55'));  // heads of pages
    QCOMPARE(kind_of([&] { SampleWriter writer(broken); }), "corrupt");
  }

  void whatCanBeReadIsRecovered_data() {
    QTest::addColumn<int>("every");
    QTest::addColumn<int>("least");  // samples that survive
    QTest::newRow("nothing is broken") << 0 << 41'061;
    QTest::newRow("some pages") << 30 << 20'000;
    QTest::newRow("most pages") << 2 << 0;
    QTest::newRow("all but the first page") << 1 << 0;
  }

  // Pages overwritten, in a file that was not closed: whatever comes out of it is as it went in.
  void whatCanBeReadIsRecovered() {
    QFETCH(int, every);
    QFETCH(int, least);
    const auto file = folder_ / "samples.db", broken = folder_ / "broken/samples.db",
               mended = folder_ / "mended/samples.db";
    fill(file, 40);
    {
      SampleWriter writer(file);
      writer.append(2, "y", 1, 1.0);
      writer.commit();
      copy_unclosed(file, broken);
    }
    const auto pages = static_cast<int>(std::filesystem::file_size(broken) / 4096);
    for (int page = 1; every > 0 && page < pages; page += every)
      overwrite(broken, static_cast<std::uintmax_t>(page) * 4096, std::string(4096, '\x55'));
    const std::int64_t saved = recover_samples(broken, mended);
    SampleReader reader(mended);
    std::int64_t count = 0;
    if (every == 0) QCOMPARE(reader.series().size(), 2u);
    for (const SeriesInfo& series : reader.series()) {
      count += series.count;
      if (every == 0) QVERIFY(series.name == "x" || series.name == "y");
      const bool named = series.name == "x" || series.name.starts_with("recovered/");
      for (const int generation : reader.generations(series.name))
        for (const Sample& sample : reader.read(series.name, generation))
          QCOMPARE(sample.value, named ? static_cast<double>(sample.step) : 1.0);
    }
    QCOMPARE(count, saved);
    QVERIFY2(saved >= least, qPrintable(QString::number(saved)));
    QVERIFY(saved <= 40 * kChunk + 101);
  }

  // Rows in an order that no writer makes: what comes too late for the new file is left out.
  void whatIsOutOfOrderIsLeftOutOfARecovery() {
    const auto file = folder_ / "samples.db", mended = folder_ / "mended/samples.db";
    constexpr int kChunks = 130;  // which the new file has sealed when the copy of the first comes
    fill(file, kChunks);
    QVERIFY(meddle(file,
                   "CREATE TABLE first AS SELECT * FROM chunk WHERE number = 0;"
                   "UPDATE first SET number = 1000; INSERT INTO chunk SELECT * FROM first"));
    QCOMPARE(recover_samples(file, mended), kChunks * kChunk + 100);
    QCOMPARE(SampleReader(mended).read("x", 0).size(), static_cast<std::size_t>(kChunks * kChunk + 100));
    QVERIFY(check_series(mended).faults.empty());
  }

  void aSeriesThatHasLostItsNameIsRecovered() {
    const auto file = folder_ / "samples.db", mended = folder_ / "mended/samples.db";
    const std::string longest(kLongestSeries, 'l'), too_long(kLongestSeries + 1, 't');
    {
      SampleWriter writer(file);
      for (const char* series : {"longest", "too long", "none", "lost"}) writer.append(3, series, 1, 1.0);
    }
    QVERIFY(meddle(file, "UPDATE track SET series = '" + longest + "' WHERE series = 'longest'"));
    QVERIFY(meddle(file, "UPDATE track SET series = '" + too_long + "' WHERE series = 'too long'"));
    QVERIFY(meddle(file, "UPDATE track SET series = '' WHERE series = 'none'"));
    QVERIFY(meddle(file, "DELETE FROM track WHERE series = 'lost'"));
    QCOMPARE(recover_samples(file, mended), 4);
    SampleReader reader(mended);
    Names names;
    for (const SeriesInfo& series : reader.series()) names.push_back(series.name);
    QCOMPARE(names, (Names{longest, "recovered/2", "recovered/3", "recovered/4"}));
    QCOMPARE(reader.generations("recovered/3"), std::vector<int>{3});
    QCOMPARE(reader.generations("recovered/4"), std::vector<int>{0});  // nothing says of which
  }

  // A caller that believed the number would throw the damaged file away.
  void aRecoveryThatCannotWriteSaysSo() {
    fill(folder_ / "samples.db", 20);
    const FullDisk full(100'000);
    VERIFY_THROWS("io", "mended", recover_samples(folder_ / "samples.db", folder_ / "mended/samples.db"));
  }

  void nothingCanBeRecoveredFromWhatIsNoDatabase() {
    write_file(folder_ / "text.db", std::string(8192, '?'));
    QCOMPARE(recover_samples(folder_ / "text.db", folder_ / "new/samples.db"), 0);
    QVERIFY(SampleReader(folder_ / "new/samples.db").series().empty());
  }

 private:
  Folder folder_;
};

BATCHSCOPE_TEST(TestDamage)
#include "test_damage.moc"
