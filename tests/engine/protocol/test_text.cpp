// SPDX-License-Identifier: Apache-2.0
//
// Text that is shown and has no other effect: what stays, what becomes a blank, and what is not UTF-8.
#include "batchscope/protocol/text.h"

#include "rows.h"
#include "test_case.h"

using namespace batchscope::protocol;

class TestText : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // Where bounds meet, the characters on both sides.
  void whatIsPrintable_data() {
    const auto row = batchscope::testing::columns<std::string, std::string>({"text", "printed"});
    const std::string no = "\xEF\xBF\xBD";
    row("nothing", "", "");
    row("letters", "a ~", "a ~");
    row("controls", std::string("\0\x1f\x7f|\x1b[2J", 8), "   | [2J");
    row("a line's end", "a\nb", "a b");
    row("two bytes", "\u00a0\u00e9\u07ff", "\u00a0\u00e9\u07ff");
    row("Unicode's controls", "\u0080\u009f", "  ");
    row("three bytes", "\u0800\u20ac\uffff", "\u0800\u20ac\uffff");
    row("separators and directions", "\u2028\u2029\u202a\u202e\u2066\u2069", "      ");
    row("their neighbours", "\u2027\u202f\u2065\u206a", "\u2027\u202f\u2065\u206a");
    row("four bytes", "\U00010000\U0001F600\U0010FFFF", "\U00010000\U0001F600\U0010FFFF");
    row("beyond Unicode", "\xF4\x90\x80\x80", no + no + no + no);
    row("no first byte", "\x80\xbf\xf5\xff", no + no + no + no);
    row("overlong, of two bytes", "\xC0\x80\xC1\xBF", no + no + no + no);
    row("overlong, of three", "\xE0\x9F\xBF", no + no + no);
    row("overlong, of four", "\xF0\x8F\xBF\xBF", no + no + no + no);
    row("the halves of a pair", "\xED\xA0\x80\xED\xBF\xBF", no + no + no + no + no + no);
    row("beside them", "\xED\x9F\xBF\xEE\x80\x80", "\xED\x9F\xBF\xEE\x80\x80");
    row("cut off", "a\xC3", "a" + no);
    row("cut off, of three", "\xE2\x82", no + no);
    row("cut off, of four", "\xF0\x9F\x98", no + no + no);
    row("begun anew",
        "\xE2\x82"
        "a\xC3"
        "b",
        no + no + "a" + no + "b");
  }
  void whatIsPrintable() {
    QFETCH(const std::string, text);
    QTEST(printable(text), "printed");
  }

  void linesMayBeKept() {
    QCOMPARE(printable_lines("a\n\tb\r\n"), std::string("a\n b \n"));
    QCOMPARE(printable("a\n\tb\r\n"), std::string("a  b  "));
  }
};

BATCHSCOPE_TEST(TestText)
#include "test_text.moc"
