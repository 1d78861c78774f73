// SPDX-License-Identifier: Apache-2.0
//
// Data of the examples besides digits: tables of numbers and texts as they are read, and the written text.
#include <set>
#include <sstream>

#include "batchscope/protocol/error.h"
#include "corpus.h"
#include "grammar.h"
#include "pictures.h"
#include "ratings.h"
#include "table.h"
#include "test_case.h"

using batchscope::Error;
using namespace batchscope::examples;

namespace {

Table table(const std::string& text) {
  std::istringstream in(text);
  return read_table(in, "file");
}

// FNV-1a
template <class Bytes>
std::uint64_t hash(const Bytes& bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const auto byte : bytes) hash = (hash ^ static_cast<std::uint8_t>(byte)) * 0x100000001b3;
  return hash;
}

}  // namespace

class TestExampleData : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void tables_are_read_whatever_separates_them_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("csv with a heading") << "a,b,c\n1,2,3\n4,-5,6e1\n";
    QTest::newRow("ratings.dat") << "1::2::3\n4::-5::60\n";
    QTest::newRow("tabs and Windows' line ends") << "1\t2\t3\r\n4\t-5\t60\r\n";
    QTest::newRow("semicolons, no last line end") << "\"x y\";\"z\"\n1;2;3\n\n4;-5;60.0";
  }
  void tables_are_read_whatever_separates_them() {
    QFETCH(QString, text);
    const Table read = table(text.toStdString());
    QCOMPARE(read.columns, 3u);
    QCOMPARE(read.rows(), 2u);
    QCOMPARE(read.values, (std::vector<double>{1, 2, 3, 4, -5, 60}));
  }

  void damaged_tables_are_refused_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("complaint");
    QTest::newRow("empty") << ""
                           << "file: it has no row of numbers";
    QTest::newRow("heading only") << "a,b\n"
                                  << "file: it has no row of numbers";
    QTest::newRow("short row") << "1,2\n3\n"
                               << "file: line 2: expected 2 numbers, found 1 columns";
    QTest::newRow("word") << "1,2\n3,four\n"
                          << "file: line 2: expected 2 numbers, found \"four\"";
    QTest::newRow("infinity") << "1,2\n3,inf\n"
                              << "file: line 2: expected 2 numbers, found \"inf\"";
  }
  void damaged_tables_are_refused() {
    QFETCH(QString, text);
    try {
      table(text.toStdString());
      QFAIL("read");
    } catch (const Error& error) {
      QTEST(QString(error.what()), "complaint");
    }
  }

  void a_corpus_numbers_words_by_frequency() {
    std::string text;
    for (int i = 0; i < 10; ++i) text += "the cat saw the dog\n";
    text += "rare\n";
    const Corpus corpus = make_corpus(text, 3, "file");
    QCOMPARE(corpus.vocabulary, (std::vector<std::string>{"<unk>", "the", "<eos>", "cat"}));
    QCOMPARE(corpus.train.size() + corpus.validation.size(), 62u);
    QCOMPARE(std::vector(corpus.train.begin(), corpus.train.begin() + 6),
             (std::vector<std::int64_t>{1, 3, 0, 1, 0, 2}));
    QCOMPARE(corpus.validation.back(), 2);
    QVERIFY_EXCEPTION_THROWN(make_corpus("too short", 3, "file"), Error);
    QVERIFY_EXCEPTION_THROWN(read_corpus("/nowhere/text", 3), Error);
  }

  void pictures_are_read_as_cifar_10_stores_them() {
    std::vector<std::uint8_t> bytes;
    for (const std::uint8_t label : {3, 9}) {
      bytes.push_back(label);
      bytes.insert(bytes.end(), kPictureBytes, static_cast<std::uint8_t>(10 * label));
    }
    Pictures read;
    parse_pictures(bytes, "file", read);
    QCOMPARE(read.labels, (std::vector<std::uint8_t>{3, 9}));
    QCOMPARE(read.pixels.size(), 2 * kPictureBytes);
    QCOMPARE(int(read.pixels[kPictureBytes]), 90);
    const auto refused = [](std::vector<std::uint8_t> damaged) {
      Pictures pictures;
      try {
        parse_pictures(damaged, "file", pictures);
      } catch (const Error& error) {
        return QString(error.what());
      }
      return QString();
    };
    QVERIFY(refused({}).startsWith("file: expected records of 3073 bytes, found 0 bytes"));
    QVERIFY(refused({bytes.begin(), bytes.end() - 1}).contains("found 6145 bytes"));
    bytes[3073] = 10;
    QCOMPARE(refused(bytes), "file: at offset 3073: expected a class from 0 to 9, found 10");
    QVERIFY_EXCEPTION_THROWN(load_pictures("/nowhere"), Error);
  }

  void drawn_pictures_are_the_same_everywhere() {
    const Pictures drawn = draw_pictures(7, 0, 200);
    QCOMPARE(drawn.labels.size(), 200u);
    QCOMPARE(drawn.pixels.size(), 200 * kPictureBytes);
    QVERIFY(drawn.pixels != draw_pictures(7, 1, 200).pixels);
    QCOMPARE(hash(drawn.pixels), kPicturesHash);
    QCOMPARE(std::set(drawn.labels.begin(), drawn.labels.end()).size(), 10u);
  }

  void the_last_rating_of_a_user_is_kept() {
    const Ratings ratings = make_ratings(table("5,70,4,30\n5,20,3,10\n5,30,5,20\n9,20,1,5\n"), "file");
    QCOMPARE(ratings.users, 2);
    QCOMPARE(ratings.items, 3);
    QCOMPARE(ratings.user, (std::vector<std::int64_t>{0, 0, 1}));  // by time
    QCOMPARE(ratings.item, (std::vector<std::int64_t>{0, 1, 0}));
    QCOMPARE(ratings.test_user, (std::vector<std::int64_t>{0}));
    QCOMPARE(ratings.test_item, (std::vector<std::int64_t>{2}));
    QVERIFY_EXCEPTION_THROWN(make_ratings(table("1,2\n"), "file"), Error);
    QVERIFY_EXCEPTION_THROWN(make_ratings(table("1.5,2,3\n"), "file"), Error);
    QVERIFY_EXCEPTION_THROWN(make_ratings(table("1,2,3\n2,2,3\n"), "file"), Error);
    const Ratings drawn = drawn_ratings(7, 100, 80);
    QCOMPARE(drawn.users, 100);
    QVERIFY(drawn.user == drawn_ratings(7, 100, 80).user && drawn.item == drawn_ratings(7, 100, 80).item);
  }

  void the_written_text_is_the_same_everywhere() {
    const std::string text = written_text(7, 5'000);
    QCOMPARE(text, written_text(7, 5'000));
    QVERIFY(text != written_text(8, 5'000));
    QCOMPARE(hash(text), kTextHash);
    const Corpus corpus = make_corpus(text, 100'000, "written");
    QVERIFY(corpus.vocabulary.size() > 150 && corpus.vocabulary.size() < 600);
  }

 private:
  static constexpr std::uint64_t kTextHash = 807893519323634843u, kPicturesHash = 9210735935739536341u;
};

BATCHSCOPE_TEST(TestExampleData)
#include "test_example_data.moc"
