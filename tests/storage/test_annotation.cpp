// SPDX-License-Identifier: Apache-2.0
//
// Names, tags, groups and notes: how long they may be, and of what.
#include "batchscope/storage/annotation.h"

#include "rows.h"
#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;

class TestAnnotation : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void lengthsHaveBounds_data() {
    const auto row = testing::columns<QString, int, int>({"what", "least", "most"});
    row("a name", "name", 1, 200);
    row("a tag", "tag", 1, 64);
    row("a group", "group", 0, 200);
    row("a note", "note", 0, 1'000'000);
    row("a series", "series", 1, 1024);
  }
  void lengthsHaveBounds() {
    QFETCH(QString, what);
    QFETCH(int, least);
    QFETCH(int, most);
    const auto kind_with = [&](int length) {
      return kind_of([&] { check(what, std::string(static_cast<std::size_t>(length), 'x')); });
    };
    if (least > 0) QCOMPARE(kind_with(least - 1), "usage");
    QCOMPARE(kind_with(least), "nothing was thrown");
    QCOMPARE(kind_with(most), "nothing was thrown");
    QCOMPARE(kind_with(most + 1), "usage");
  }

  void textsHaveAForm_data() {
    const auto row = testing::columns<QString, QByteArray, bool>({"what", "text", "isTaken"});
    row("a name of any letters", "name", "größer, 2", true);
    row("a name of two lines", "name", "a\nb", false);
    row("a name that drives a terminal", "name", "a\x1b[2J", false);
    row("a name that is no UTF-8", "name", "a\xff", false);
    row("the name of the newest", "name", "latest", false);
    row("a tag of two words", "tag", "two words", true);
    row("a tag with a comma", "tag", "a,b", false);
    row("a tag of two lines", "tag", "a\nb", false);
    row("a group of two lines", "group", "a\nb", false);
    row("the group of the newest", "group", "latest", true);
    row("a note of two lines", "note", "a\nb", true);
    row("a note that is no UTF-8", "note", "a\xff", false);
    row("a series of any bytes", "series", "a\n\xff", true);
  }
  void textsHaveAForm() {
    QFETCH(QString, what);
    QFETCH(QByteArray, text);
    QFETCH(bool, isTaken);
    QCOMPARE(kind_of([&] { check(what, text.toStdString()); }), isTaken ? "nothing was thrown" : "usage");
  }

  // The message is one line of UTF-8 itself, and ends no letter in its middle.
  void aRefusalQuotesTheBeginning() {
    VERIFY_THROWS("usage", "\"a b\" cannot be a tag", check_tag("a\nb"));
    VERIFY_THROWS("usage", "text that is not UTF-8 cannot be a name", check_name("\xff"));
    const std::string begin(199, 'x'), umlaut = "\xc3\xbc";
    VERIFY_THROWS("usage", '"' + begin + "\" cannot be a name", check_name(begin + umlaut));
    VERIFY_THROWS("usage", '"' + begin + "y\" cannot be a name", check_name(begin + "yz"));
    VERIFY_THROWS("usage", "the note has 1000001 bytes", check_note(std::string(1'000'001, 'x')));
  }

  void tagsStandBetweenCommas() {
    QCOMPARE(parse_tags("paper, baseline"), (Names{"paper", "baseline"}));
    QCOMPARE(parse_tags("  two words ,,  , x,"), (Names{"two words", "x"}));
    QVERIFY(parse_tags("").empty() && parse_tags(" , ").empty());
    VERIFY_THROWS("usage", "cannot be a tag", parse_tags("fine," + std::string(65, 'x')));
  }

 private:
  static void check(const QString& what, const std::string& text) {
    if (what == "name") check_name(text);
    if (what == "tag") check_tag(text);
    if (what == "group") check_group(text);
    if (what == "note") check_note(text);
    if (what == "series") check_series(std::string_view(text));
  }
};

BATCHSCOPE_TEST(TestAnnotation)
#include "test_annotation.moc"
