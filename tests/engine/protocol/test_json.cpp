// SPDX-License-Identifier: Apache-2.0
//
// Numbers that JSON has no word for, and lines cut anywhere.
#include <cmath>
#include <limits>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"
#include "rows.h"
#include "test_case.h"
#include "thrown.h"

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

  // A hundred brackets deep, where those in a text do not count.
  void nestingHasAnEnd() {
    const auto nested = [](int depth) {
      return "{\"a\": " + std::string(static_cast<std::size_t>(depth) - 1, '[') +
             std::string(static_cast<std::size_t>(depth) - 1, ']') + "}";
    };
    QVERIFY(parse_object(nested(100)).contains("a"));
    VERIFY_THROWS("usage", "nested deeper than 100", parse_object(nested(101)));
    VERIFY_THROWS("usage", "nested deeper than 100", parse_object(std::string(101, '{')));
    const std::string brackets(200, '[');
    QCOMPARE(parse_object("{\"a\": \"" + brackets + "\"}").at("a").get<std::string>(), brackets);
    QCOMPARE(parse_object("{\"a\": \"\\\"" + brackets + "\"}").at("a").get<std::string>(), "\"" + brackets);
    std::string side_by_side = "{\"a\": [";
    for (int i = 0; i < 200; ++i) side_by_side += "[], {}, ";
    QCOMPARE(parse_object(side_by_side + "1]}").at("a").size(), 401u);
  }

  void faultsAreToldInOurWords_data() {
    const auto row = testing::columns<std::string, std::string>({"text", "fault"});
    row("syntax", "{\"a\": }", "it is not JSON from byte 7 on");
    row("type", R"({"a": "x"})", "expected a number, found a string");
    row("array", R"({"a": []})", "expected a number, found an array");
    row("object", R"({"a": {}})", "expected a number, found an object");
    row("null", R"({"a": null})", "expected a number, found null");
    row("missing", R"({"b": 1})", "the field \"a\" is missing");
    row("of no object", "[1]", "expected an object or an array, found an array");
    row("of a number", "3", "expected an object or an array, found a number");
  }
  void faultsAreToldInOurWords() {
    QFETCH(const std::string, text);
    std::string told;
    try {
      Json::parse(text).at("a").get<double>();
    } catch (const Json::exception& fault) {
      told = fault_text(fault);
    }
    QTEST(told, "fault");
  }
  void otherFaultsAreToldAsTheyAre() {
    QCOMPARE(fault_text(std::runtime_error("the disk is full")), std::string("the disk is full"));
    try {
      static_cast<void>(Json("bad\xff").dump());
    } catch (const Json::exception& fault) {
      QCOMPARE(fault_text(fault), std::string("it holds text that is not UTF-8"));
      return;
    }
    QFAIL("such text was written");
  }
  void whatIsNoObjectIsNamed() {
    VERIFY_THROWS("usage", "expected a JSON object, found an array", parse_object("[1]"));
    VERIFY_THROWS("usage", "expected a JSON object, found a number", parse_object("3"));
    VERIFY_THROWS("usage", "expected a JSON object, found null", parse_object("null"));
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
