// SPDX-License-Identifier: Apache-2.0
//
// The drawn digits: the same bytes for a seed on every machine, all ten classes, kept in a cache that heals.
#include <zlib.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <array>
#include <memory>
#include <thread>

#include "digit_data.h"
#include "stroke_digits.h"
#include "test_case.h"

using namespace batchscope::digits;

namespace {

quint32 checksum(const std::vector<std::uint8_t>& bytes) {
  return quint32(crc32(0, bytes.data(), static_cast<unsigned>(bytes.size())));
}

bool same(const DigitData& a, const DigitData& b) {
  return a.train.images.pixels == b.train.images.pixels && a.train.labels == b.train.labels &&
         a.test.images.pixels == b.test.images.pixels && a.test.labels == b.test.labels;
}

}  // namespace

class TestDigitData : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    cache_ = std::make_unique<QTemporaryDir>();
    qputenv("XDG_CACHE_HOME", cache_->path().toUtf8());
  }

  // Recorded once. Whoever changes the drawing changes these and the version in the cache's name.
  void draws_the_same_bytes_on_every_machine_data() {
    QTest::addColumn<int>("seed");
    QTest::addColumn<int>("stream");
    QTest::addColumn<quint32>("pixels");
    QTest::addColumn<quint32>("labels");
    QTest::newRow("training") << 0 << 0 << 0x5b70824cU << 0xf123ad68U;
    QTest::newRow("test") << 0 << 1 << 0xda2acd5aU << 0x6dc05b89U;
    QTest::newRow("another seed") << 7 << 0 << 0xc2c6080eU << 0x371e2d2dU;
  }
  void draws_the_same_bytes_on_every_machine() {
    QFETCH(int, seed);
    QFETCH(int, stream);
    const auto set = draw_digits(std::uint64_t(seed), std::uint64_t(stream), 200);
    QTEST(checksum(set.images.pixels), "pixels");
    QTEST(checksum(set.labels), "labels");
  }

  void a_longer_set_begins_with_the_shorter_one() {
    auto longer = draw_digits(3, 0, 50);
    keep_first(longer, 20);
    const auto shorter = draw_digits(3, 0, 20);
    QVERIFY(longer.images.pixels == shorter.images.pixels);
    QVERIFY(longer.labels == shorter.labels);
  }

  void holds_every_digit_about_equally_often() {
    std::array<int, 10> counts{};
    for (const auto label : draw_digits(0, 0, 5000).labels) ++counts.at(label);
    for (const int count : counts) QVERIFY(count > 400 && count < 600);
  }

  void draws_ink_in_the_middle_of_every_image() {
    const auto set = draw_digits(1, 0, 300);
    for (std::size_t i = 0; i < 300; ++i) {
      int ink = 0;
      for (std::size_t y = 7; y < 21; ++y)
        for (std::size_t x = 7; x < 21; ++x) ink += set.images.pixels[(i * kSide + y) * kSide + x] > 120;
      QVERIFY2(ink >= 8, qPrintable(QStringLiteral("image %1 is empty").arg(i)));
    }
  }

  void caches_what_it_drew_and_mends_the_cache() {
    const auto drawn = drawn_digits(5);
    QCOMPARE(drawn.train.images.count, kTrainImages);
    QCOMPARE(drawn.test.images.count, kTestImages);

    const QDir folder(cache_->filePath("batchscope/digits-v1-seed5"));
    QCOMPARE(folder.entryList(QDir::Files).size(), 4);
    QVERIFY(same(load_digits(folder.path().toStdString()), drawn));

    QFile labels(folder.filePath("train-labels-idx1-ubyte"));
    QVERIFY(labels.resize(100));
    QVERIFY(same(drawn_digits(5), drawn));
    QCOMPARE(labels.size(), qint64(kTrainImages) + 8);
  }

  void does_without_a_cache() {
    qputenv("XDG_CACHE_HOME", "/dev/null");
    QVERIFY(same(drawn_digits(5), drawn_digits(5)));
  }

  void replicas_may_fill_the_cache_at_once() {
    std::vector<DigitData> data(3);
    std::vector<std::thread> threads;
    for (auto& each : data) threads.emplace_back([&each] { each = drawn_digits(6); });
    for (auto& thread : threads) thread.join();
    QVERIFY(same(data[0], data[1]) && same(data[1], data[2]));
    QVERIFY(same(drawn_digits(6), data[0]));
  }

 private:
  std::unique_ptr<QTemporaryDir> cache_;
};

BATCHSCOPE_TEST(TestDigitData)
#include "test_digit_data.moc"
