// SPDX-License-Identifier: Apache-2.0
//
// Flipped bits are found and named, and cost nothing but what they hit.
#include <cmath>
#include <numeric>
#include <random>

#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using test::error_of;
using test::Folder;
using test::kind_of;
using test::meddle;
using test::same;

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
  void aFlippedBitInAChunkIsFound() {
    const Folder folder;
    const auto file = folder / "samples.db";
    fill(file, 12);
    QVERIFY(flip_bit(file, "chunk", "data", 6, 12345));  // chunk number 5: steps 5121 to 6144
    SampleReader reader(file);
    const auto error = error_of([&] { reader.read("x", 0); });
    QCOMPARE(error->kind(), ErrorKind::corrupt);
    for (const std::string& part :
         {file.string(), std::string("'x'"), std::string("5121"), std::string("6144")})
      QVERIFY2(std::string(error->what()).find(part) != std::string::npos, error->what());
    QVERIFY(error_of([&] { reader.read("x", 0, 5500, 5500); }));
    QVERIFY(error_of([&] { reader.summarize("x", 0, 5200, 5300, 1000); }));
    QCOMPARE(reader.read("x", 0, 0, 5119).size(), 5119u);
    QCOMPARE(reader.read("x", 0, 6145).size(), static_cast<std::size_t>(12 * kChunk + 100 - 6144));
    std::int64_t count = 0;  // the tiers are whole
    for (const Bucket& bucket : reader.summarize("x", 0, 0, INT64_MAX, 5)) count += bucket.count;
    QCOMPARE(count, 12 * kChunk + 100);
  }

  void everyPartOfAChunkIsChecked_data() {
    QTest::addColumn<QString>("sql");
    for (const char* sql : {"first_step = first_step + 100000", "first_step = 0", "last_step = last_step - 1",
                            "count = count - 1", "min = min + 1", "max = NULL", "mean = -mean",
                            "checksum = 0", "steps = x''", "steps = x'00'", "data = x''",
                            "data = substr(data, 9)", "data_checksum = 1", "number = 69", "track = 2"})
      QTest::newRow(sql) << QString(sql);
  }

  void everyPartOfAChunkIsChecked() {
    QFETCH(QString, sql);
    const Folder folder;
    const auto file = folder / "samples.db";
    fill(file, 12, true);
    QVERIFY(meddle(file, "INSERT INTO track VALUES (2, 'y', 0, 0)"));
    QVERIFY(meddle(file, ("UPDATE chunk SET " + sql + " WHERE number = 5").toStdString()));
    SampleReader reader(file);
    for (const auto& [from, to] : {std::pair{0, 1 << 30}, {5300, 5400}, {5100, 5300}, {5400, 7000}}) {
      const auto error = error_of([&] { reader.read("x", 0, from, to); });
      QVERIFY(error);
      QCOMPARE(error->kind(), ErrorKind::corrupt);
    }
    QCOMPARE(reader.read("x", 0, 100, 300).size(), 201u);
    QCOMPARE(reader.read("x", 0, 8001, 8100).size(), 100u);
  }

  void aMissingChunkIsFound() {
    const Folder folder;
    const auto file = folder / "samples.db";
    fill(file, 4);
    QVERIFY(meddle(file, "DELETE FROM chunk WHERE number = 2"));
    SampleReader reader(file);
    QCOMPARE(kind_of([&] { reader.read("x", 0); }), "corrupt");
    QCOMPARE(reader.read("x", 0, 3074).size(), static_cast<std::size_t>(kChunk + 99));
  }

  void aDamagedTierIsDoneWithout() {
    const Folder folder;
    const auto file = folder / "samples.db";
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

  void aDamagedTailIsSetAsideAndTheRunGoesOn() {
    const Folder folder;
    const auto file = folder / "samples.db";
    fill(file, 1);  // leaves an unfinished chunk, number 1
    const auto copy = folder / "copy/samples.db";
    {
      SampleWriter writer(file);
      for (int i = 0; i < 5; ++i) {
        for (const char* series : {"x", "y"})
          writer.append(0, series, 1125 + 10 * i, std::vector<double>(10, 1.0));
        writer.commit();
      }
      std::filesystem::create_directories(copy.parent_path());  // as a kill would leave it
      for (const char* end : {"", "-wal"})
        std::filesystem::copy_file(file.string() + end, copy.string() + end);
    }
    QVERIFY(flip_bit(copy, "batch", "data", 3, 5));   // "x", steps 1135 to 1144
    QVERIFY(flip_bit(copy, "chunk", "data", 2, 77));  // "x", steps 1025 to 1124
    {
      SampleReader reader(copy);
      QCOMPARE(kind_of([&] { reader.read("x", 0); }), "corrupt");
      QCOMPARE(kind_of([&] { reader.read("x", 0, 1140, 1141); }), "corrupt");
      QCOMPARE(reader.read("y", 0).size(), 50u);
      QCOMPARE(reader.read("x", 0, 1, 1000).size(), 1000u);
    }
    {
      SampleWriter writer(copy);
      QCOMPARE(writer.repairs().size(), 1u);
      QVERIFY(writer.repairs()[0].find("1135 to 1144 of 'x'") != std::string::npos);
      writer.append(0, "x", 1175, std::vector<double>(5000, 2.0));
    }
    SampleReader reader(copy);
    QCOMPARE(reader.read("x", 0).size(), static_cast<std::size_t>(kChunk + 40 + 5000));
    QCOMPARE(reader.read("y", 0).size(), 50u);
    QVERIFY(meddle(copy, "CREATE TABLE two AS SELECT 1 / ((SELECT count(*) FROM damaged) = 2)"));
  }

  void aFileThatWasNotClosedIsChecked() {
    const Folder folder;
    const auto file = folder / "samples.db";
    fill(file, 40);
    const auto broken = folder / "broken/samples.db";
    std::filesystem::create_directories(broken.parent_path());
    {
      SampleWriter writer(file);
      writer.append(0, "y", 1, 1.0);
      writer.commit();
      for (const char* end : {"", "-wal"})
        std::filesystem::copy_file(file.string() + end, broken.string() + end);
    }
    QFile raw(QString::fromStdString(broken.string()));
    QVERIFY(raw.open(QIODevice::ReadWrite));
    for (qint64 at = 20 * 4096; at < raw.size() - 4096; at += 4096) {  // heads of pages
      raw.seek(at);
      raw.write(QByteArray(16, '\x55'));
    }
    raw.close();
    QCOMPARE(kind_of([&] { SampleWriter writer(broken); }), "corrupt");
  }

  void whatCanBeReadIsRecovered_data() {
    QTest::addColumn<int>("every");
    QTest::addColumn<int>("least");  // samples that survive
    QTest::newRow("nothing is broken") << 0 << 41'060;
    QTest::newRow("some pages") << 30 << 20'000;
    QTest::newRow("most pages") << 2 << 0;
    QTest::newRow("all but the first page") << 1 << 0;
  }

  // Pages overwritten, in a file that was not closed: whatever comes out of it is as it went in.
  void whatCanBeReadIsRecovered() {
    QFETCH(int, every);
    QFETCH(int, least);
    const Folder folder;
    const auto file = folder / "samples.db", broken = folder / "broken/samples.db",
               mended = folder / "mended/samples.db";
    fill(file, 40);
    std::filesystem::create_directories(broken.parent_path());
    {
      SampleWriter writer(file);
      writer.append(2, "y", 1, 1.0);
      writer.commit();
      for (const char* end : {"", "-wal"})
        std::filesystem::copy_file(file.string() + end, broken.string() + end);
    }
    QFile raw(QString::fromStdString(broken.string()));
    QVERIFY(raw.open(QIODevice::ReadWrite));
    for (qint64 page = 1; every > 0 && page < raw.size() / 4096; page += every) {
      raw.seek(page * 4096);
      raw.write(QByteArray(4096, '\x55'));
    }
    raw.close();
    const std::int64_t saved = recover_samples(broken, mended);
    SampleReader reader(mended);
    std::int64_t count = 0;
    for (const SeriesInfo& series : reader.series()) {
      count += series.count;
      const bool named = series.name == "x" || series.name.starts_with("recovered/");
      for (const int generation : reader.generations(series.name))
        for (const Sample& sample : reader.read(series.name, generation))
          QCOMPARE(sample.value, named ? static_cast<double>(sample.step) : 1.0);
    }
    QCOMPARE(count, saved);
    QVERIFY2(saved >= least, qPrintable(QString::number(saved)));
    QVERIFY(saved <= 40 * kChunk + 101);
  }

  void nothingCanBeRecoveredFromWhatIsNoDatabase() {
    const Folder folder;
    QFile text(QString::fromStdString((folder / "text.db").string()));
    QVERIFY(text.open(QIODevice::WriteOnly));
    text.write(QByteArray(8192, '?'));
    text.close();
    QCOMPARE(recover_samples(folder / "text.db", folder / "new/samples.db"), 0);
    QVERIFY(SampleReader(folder / "new/samples.db").series().empty());
  }
};

BATCHSCOPE_TEST(TestDamage)
#include "test_damage.moc"
