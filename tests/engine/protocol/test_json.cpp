// SPDX-License-Identifier: Apache-2.0
//
// Numbers that JSON has no word for, and lines cut anywhere.
#include <cmath>
#include <limits>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::protocol;

class TestJson : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void numbersSurviveARoundTrip() {
    const std::vector<double> values{0.1,
                                     -0.0,
                                     1e300,
                                     5e-324,
                                     std::numeric_limits<double>::infinity(),
                                     -std::numeric_limits<double>::infinity(),
                                     std::nan("")};
    const auto back = decode_numbers(Json::parse(encode_numbers(values).dump()));
    QCOMPARE(back.size(), values.size());
    for (std::size_t i = 0; i + 1 < values.size(); ++i) {
      QCOMPARE(back[i], values[i]);
      QCOMPARE(std::signbit(back[i]), std::signbit(values[i]));
    }
    QVERIFY(std::isnan(back.back()));
  }

  void whatIsNoNumberIsRefused() {
    QVERIFY_EXCEPTION_THROWN(decode_number("NaN"), Error);
    QVERIFY_EXCEPTION_THROWN(decode_number(nullptr), Error);
    QVERIFY_EXCEPTION_THROWN(decode_numbers(3), Error);
    QVERIFY_EXCEPTION_THROWN(parse_object("[1]"), Error);
    QVERIFY_EXCEPTION_THROWN(parse_object("{\"a\":"), Error);
  }

  void linesComeOutHoweverTheBytesAreCut() {
    const std::string text = "one\n\nthree\nrest";
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      LineSplitter splitter;
      auto lines = splitter.feed(std::string_view(text).substr(0, cut));
      for (const auto& line : splitter.feed(std::string_view(text).substr(cut))) lines.push_back(line);
      QCOMPARE(lines, (std::vector<std::string>{"one", "", "three"}));
      QCOMPARE(splitter.feed("!\n"), std::vector<std::string>{"rest!"});
    }
  }

  void anEndlessLineIsAFault() {
    LineSplitter splitter(8);
    QVERIFY(splitter.feed("12345678").empty());
    QVERIFY_EXCEPTION_THROWN(splitter.feed("9"), Error);
  }
};

BATCHSCOPE_TEST(TestJson)
#include "test_json.moc"
