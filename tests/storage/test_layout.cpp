// SPDX-License-Identifier: Apache-2.0
//
// The bytes of samples.db as storage/FORMAT.md gives them, so that a file of today is read by another
// program, and by this one tomorrow.
#include <cmath>
#include <limits>

#include "batchscope/protocol/bytes.h"
#include "rows.h"
#include "samples/chunk.h"
#include "samples/samples_schema.h"
#include "samples/tier.h"
#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;
using protocol::put;

namespace {

constexpr double kQuietNan = std::numeric_limits<double>::quiet_NaN();

std::vector<Sample> samples_at(const std::vector<std::int64_t>& steps) {
  std::vector<Sample> samples;
  for (const std::int64_t step : steps) samples.push_back({step, static_cast<double>(step)});
  return samples;
}

std::vector<Sample> samples_from(std::int64_t first_step, std::size_t count) {
  std::vector<std::int64_t> steps(count);
  for (std::size_t i = 0; i < count; ++i) steps[i] = first_step + static_cast<std::int64_t>(i);
  return samples_at(steps);
}

// The checksum of a heading; min, max and mean as 64 bits each.
std::uint32_t heading_checksum(std::int64_t track, std::int64_t first, std::int64_t last, std::int64_t count,
                               std::array<std::uint64_t, 3> values, std::uint32_t data_checksum) {
  std::string bytes;
  for (const std::int64_t number : {track, first, last, count}) put(bytes, number);
  for (const std::uint64_t value : values) put(bytes, value);
  put(bytes, data_checksum);
  return crc32(bytes);
}

std::uint32_t tier_checksum(std::int64_t track, std::int64_t level, std::int64_t number,
                            std::string_view data) {
  std::string bytes;
  for (const std::int64_t part : {track, level, number}) put(bytes, part);
  return crc32(bytes + std::string(data));
}

}  // namespace

class TestLayout : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { folder_ = {}; }

  // The check value of CRC-32/ISO-HDLC, https://reveng.sourceforge.io/crc-catalogue/17plus.htm
  void theChecksumIsThatOfZlib() {
    QCOMPARE(crc32("123456789"), 0xcbf43926u);
    QCOMPARE(crc32("6789", crc32("12345")), 0xcbf43926u);
  }

  void stepsAreRunsOfConsecutiveOnes_data() {
    using Steps = std::vector<std::int64_t>;
    const auto row = testing::columns<Steps, QByteArray>({"steps", "bytes"});
    row("one", {7}, "");
    row("consecutive", {5, 6, 7}, "");
    row("a gap behind the first", {1, 5, 6}, "00010402");
    row("a gap before the last", {1, 2, 9}, "00020701");
    row("the first twice", {3, 3, 4}, "00010002");
    row("the last twice", {3, 4, 4}, "00020001");
    row("a gap of two bytes", {0, 300}, "0001ac0201");
  }
  void stepsAreRunsOfConsecutiveOnes() {
    QFETCH(std::vector<std::int64_t>, steps);
    QFETCH(QByteArray, bytes);
    const std::vector<Sample> samples = samples_at(steps);
    const Chunk chunk = pack(1, samples);
    QCOMPARE(QByteArray::fromStdString(chunk.steps).toHex(), bytes);
    QVERIFY(same(unpack(chunk).value(), samples));
  }

  void aHeadingHasItsChecksum() {
    const Chunk chunk = pack(3, std::vector<Sample>{{5, 1.5}, {6, kQuietNan}, {9, -0.5}});
    QCOMPARE(QByteArray::fromStdString(chunk.values.substr(0, 8)).toHex(), QByteArray("000000000000f83f"));
    QCOMPARE(chunk.values.size(), 24u);
    QCOMPARE(chunk.data_checksum, crc32(chunk.steps + chunk.values));
    QCOMPARE(chunk.checksum(),
             heading_checksum(3, 5, 9, 3, {0xbfe0000000000000, 0x3ff8000000000000, 0x3fe0000000000000},
                              chunk.data_checksum));
  }

  void aHeadingOfNothingFiniteHasTheQuietNan() {
    const Chunk chunk = pack(1, std::vector<Sample>{{1, -kQuietNan}});
    constexpr std::uint64_t kQuiet = 0x7ff8000000000000;
    QCOMPARE(chunk.checksum(), heading_checksum(1, 1, 1, 1, {kQuiet, kQuiet, kQuiet}, chunk.data_checksum));
  }

  void aHeadingHasZeroWithoutItsSign() {
    const Chunk chunk = pack(1, std::vector<Sample>{{1, -0.0}});
    QCOMPARE(chunk.checksum(), heading_checksum(1, 1, 1, 1, {0, 0, 0}, chunk.data_checksum));
  }

  // A file that somebody else has made may have the right checksums, too.
  void stepsThatLieDoNoHarm_data() {
    testing::rows<QByteArray>("bytes", {"00", "0002", "00ffff7f", "8080808080808080808001", "0001ff"});
  }
  void stepsThatLieDoNoHarm() {
    QFETCH(QByteArray, bytes);
    Chunk chunk = pack(1, samples_at({1, 3, 5}));
    chunk.steps = QByteArray::fromHex(bytes).toStdString();
    chunk.data_checksum = crc32(chunk.steps + chunk.values);
    QCOMPARE(unpack(chunk).value().size(), 3u);
  }

  void aCountThatLiesIsFound() {
    for (const std::uint32_t count : {0u, 2u, 4u, 1u << 31}) {
      Chunk chunk = pack(1, samples_at({1, 3, 5}));
      chunk.summary.count = count;
      QVERIFY(!unpack(chunk));
    }
  }

  void aSummaryIsFortyEightBytes() {
    std::string bytes;
    put_summary(bytes, {-2, 258, 3, 2, -0.5, 1.5, 0.5});
    QCOMPARE(QByteArray::fromStdString(bytes).toHex(), QByteArray("feffffffffffffff"
                                                                  "0201000000000000"
                                                                  "03000000"
                                                                  "02000000"
                                                                  "000000000000e0bf"
                                                                  "000000000000f83f"
                                                                  "000000000000e03f"));
  }

  // 64 chunks: two full rows of level 2, whose summaries stand in one of level 3.
  void tiersCarryAsACounterDoes() {
    Database database(folder_ / "samples.db", samples_schema(), Access::write);
    database.write([&] {
      database.execute("INSERT INTO track VALUES (7, 'x', 0, 0)");
      for (std::int64_t number = 0; number < 64; ++number)
        seal_chunk(database, 7, number, samples_from(1 + 1024 * number, 1024));
    });
    database.read([&] {
      std::map<std::int64_t, std::vector<std::size_t>> sizes;
      Query row =
          database.query("SELECT track, level, number, checksum, data FROM tier ORDER BY level, number");
      while (row.next()) {
        const std::string_view data = row.blob(4);
        sizes[row.integer(1)].push_back(data.size() / 48);
        QCOMPARE(row.integer(0), 7);
        QCOMPARE(row.integer(2), static_cast<std::int64_t>(sizes[row.integer(1)].size()) - 1);
        QCOMPARE(static_cast<std::uint32_t>(row.integer(3)),
                 tier_checksum(7, row.integer(1), row.integer(2), data));
        // Each summary is of steps that follow those of the one before, and their values are the steps.
        const std::int64_t width = 1LL << (5 * row.integer(1));
        std::int64_t step = 1 + 32 * width * row.integer(2);
        for (const Summary& summary : get_summaries(data)) {
          QCOMPARE(summary.first_step, step);
          QCOMPARE(summary.last_step, step + width - 1);
          QCOMPARE(summary.count, width);
          QCOMPARE(summary.max, static_cast<double>(step + width - 1));
          step += width;
        }
      }
      QCOMPARE(sizes.size(), 3u);
      QCOMPARE(sizes[1], std::vector<std::size_t>(64, 32));
      QCOMPARE(sizes[2], std::vector<std::size_t>(2, 32));
      QCOMPARE(sizes[3], std::vector<std::size_t>{2});
    });
  }

  // A summary of level 7 would be of more samples than its count can say.
  void tiersEndWithLevel6() {
    Database database(folder_ / "samples.db", samples_schema(), Access::write);
    database.write([&] {
      database.execute("INSERT INTO track VALUES (7, 'x', 0, 0)");
      const std::int64_t last = (1 << 25) - 1;  // the chunk by which all levels are full
      std::int64_t number = last / 32;
      for (std::int64_t level = 2; level <= 6; ++level, number /= 32) {
        const std::string almost_full(31 * 48, '\0');
        database.execute("INSERT INTO tier (track, level, number, checksum, data) VALUES (7, ?, ?, ?, ?)",
                         level, number, tier_checksum(7, level, number, almost_full), Blob{almost_full});
      }
      seal_chunk(database, 7, last, samples_from(1, 1024));
    });
    database.read([&] {
      Query row = database.query("SELECT level, length(data) FROM tier WHERE level > 1 ORDER BY level");
      for (std::int64_t level = 2; level <= 6; ++level) {
        QVERIFY(row.next());
        QCOMPARE(row.integer(0), level);
        QCOMPARE(row.integer(1), 32 * 48);
      }
      QVERIFY(!row.next());
    });
  }

 private:
  Folder folder_;
};

BATCHSCOPE_TEST(TestLayout)
#include "test_layout.moc"
