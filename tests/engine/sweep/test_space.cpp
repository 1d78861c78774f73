// SPDX-License-Identifier: Apache-2.0
//
// Spaces of parameters: axes, texts, conditions, and what is said of wrong ones.
#include "batchscope/sweep/space.h"

#include <cmath>
#include <random>

#include "rows.h"
#include "spaces.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::sweep;
using namespace batchscope::testing;

class TestSpace : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // Any place on the axis gives a value of the parameter, which lies in its own cell and reads as it is
  // written.
  void everyPlaceIsAValue() {
    const Space space = mixed_space();
    std::mt19937 random(1);
    std::uniform_real_distribution<double> unit(0, 1);
    for (const Parameter& parameter : space.parameters()) {
      const auto [low, high] = parameter.axis();
      for (int i = 0; i < 2000; ++i) {
        const double place = i == 0 ? low : i == 1 ? high : low + unit(random) * (high - low);
        const double value = parameter.value(place);
        const std::string text = parameter.text(value);
        QCOMPARE(parameter.parse(text), std::optional(value));
        const Interval cell = parameter.cell(value);
        QVERIFY2(cell.low - 1e-5 <= place && place <= cell.high + 1e-5, text.c_str());
        QVERIFY(text.size() <= 12);
        if (parameter.kind != Parameter::Kind::choice)
          QVERIFY(parameter.min <= value && value <= parameter.max);
        const double again = parameter.on_axis(value);  // in the middle of its cell, but for rounded ends
        QCOMPARE(parameter.value(again), value);
        QVERIFY(cell.low <= again && again <= cell.high);
      }
    }
  }

  // The outermost values are as likely as the others.
  void cellsShareTheAxis() {
    for (const Parameter& parameter : {integer("n", 3, 7), with_step(real("x", 0, 1), 0.25),
                                       choice("c", {"a", "b"}), with_step(real("y", 0, 1), 0.3)}) {
      const auto [low, high] = parameter.axis();
      const auto count = *parameter.count();
      for (std::size_t i = 0; i < count; ++i) {
        const Interval cell = parameter.cell(parameter.nth(i));
        QVERIFY(std::abs((cell.high - cell.low) * static_cast<double>(count) - (high - low)) < 1e-9);
      }
    }
    QCOMPARE(*with_step(real("y", 0, 1), 0.3).count(), std::size_t{4});
    QCOMPARE(with_step(real("y", 0, 1), 0.3).value(1), 0.9);  // not 1, which is not a step
    QVERIFY(!with_step(real("y", 0, 1), 0.3).parse("1"));
    QCOMPARE(with_step(real("x", 0, 1), 0.1).text(with_step(real("x", 0, 1), 0.1).nth(3)),
             std::string("0.3"));
    QCOMPARE(integer("n", 1, 4, true).axis().low, std::log(0.5));
  }

  // A millionth of the range, of the value where the scale is logarithmic, or of the step.
  void valuesHaveNoMoreDigitsThanCount() {
    QCOMPARE(real("lr", 1e-5, 1, true).value(std::log(0.00123456789)), 0.001234568);
    QCOMPARE(real("lr", 1e-5, 1, true).value(std::log(1e-5) - 1), 1e-5);
    QCOMPARE(real("x", 0.5, 0.99).value(0.7123456789), 0.7123457);
    QCOMPARE(real("x", 0, 2000).value(1234.56789), 1234.568);
    QCOMPARE(real("x", 0, 1).value(0.12345678), 0.123457);
    QCOMPARE(with_step(real("x", 0, 1), 0.001).nth(7), 0.007);
    QCOMPARE(real("x", 0, 1e9).value(123456789.6), 123456790.0);
    QCOMPARE(*with_step(real("x", 0, 1e9), 1).count(), std::size_t{1'000'000'001});
  }

  void textsAreValuesOnTheirGridWithinTheRange() {
    for (const char* text : {"1", "4", "2"}) QVERIFY(integer("n", 1, 4).parse(text));
    for (const char* text : {"0", "5", "1.5", "", "2 ", "two", "nan"})
      QVERIFY2(!integer("n", 1, 4).parse(text), text);
    for (const char* text : {"0", "1", "0.3"}) QVERIFY(real("x", 0, 1).parse(text));
    for (const char* text : {"-0.1", "1.1", "inf"}) QVERIFY2(!real("x", 0, 1).parse(text), text);
    for (const char* text : {"0.25", "1"}) QVERIFY(with_step(real("x", 0, 1), 0.25).parse(text));
    QVERIFY(!with_step(real("x", 0, 1), 0.25).parse("0.3"));
  }

  void whatIsJustAllowed() {
    for (const Parameter& parameter :
         {with_step(real("x", 1, 2), 1), with_step(real("x", 0, 1e12), 1), real("lr_2.Z-9", 0, 1),
          integer("n", -9007199254740992, 0), integer("n", 0, 9007199254740992)})
      QVERIFY(!Space::fault(std::vector{parameter}));
    std::vector<Parameter> many;
    for (std::size_t i = 0; i < Space::kMostParameters; ++i)
      many.push_back(real("x" + std::to_string(i), 0, 1));
    QVERIFY(!Space::fault(many));
    many.push_back(real("y", 0, 1));
    QCOMPARE(Space::fault(many)->parameter, Space::kMostParameters);
  }

  void whatHasACommonConditionIsThereTogether() {
    const Space space = mixed_space();
    for (int i = 0; i < 200; ++i) {
      std::mt19937 random(static_cast<unsigned>(i));
      std::uniform_real_distribution<double> unit(0, 1);
      const Point point = space.point(
          [&](std::size_t parameter) { return space.parameters()[parameter].at_share(unit(random)); });
      const Texts texts = space.texts(point);
      QCOMPARE(texts.contains("momentum"), texts.at("optimizer") == "sgd");
      QCOMPARE(texts.contains("nesterov"), texts.at("optimizer") == "sgd");
      QCOMPARE(texts.contains("width"), texts.at("layers") != "1");
      QCOMPARE(texts.at("epochs"), std::string("5"));
      QCOMPARE(space.point(texts), point);
    }
  }

  // Such texts are written by hand, or are in a catalogue of an older sweep.
  void textsThatAreNoPointAreRefused() {
    const Space space({choice("rule", {"adam", "sgd"}), when(real("momentum", 0, 1), "rule", {"sgd"})});
    VERIFY_THROWS("usage", "parameter 'rule' has no value", space.point(Texts{}));
    VERIFY_THROWS("usage", "parameter 'rule' cannot have the value 'lion'", space.point({{"rule", "lion"}}));
    VERIFY_THROWS("usage", "parameter 'momentum' has no value", space.point({{"rule", "sgd"}}));
    VERIFY_THROWS("usage", "parameter 'momentum' has the value '0.5'",
                  space.point({{"rule", "adam"}, {"momentum", "0.5"}}));
    VERIFY_THROWS("usage", "parameter 'momentum' cannot have the value '2'",
                  space.point({{"rule", "sgd"}, {"momentum", "2"}}));
  }

  void wrongParametersAreNamed_data() {
    QTest::addColumn<int>("which");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const char* words) {
      QTest::newRow(name) << static_cast<int>(wrong().size()) - 1 << QString(words);
    };
    const auto add = [&](const char* name, std::vector<Parameter> parameters, const char* words) {
      wrong().push_back(std::move(parameters));
      row(name, words);
    };
    wrong().clear();
    add("name", {real("-lr", 0, 1)}, "parameter '-lr' needs another name");
    add("no name", {real("", 0, 1)}, "parameter '' needs another name");
    add("a blank", {real("l r", 0, 1)}, "parameter 'l r' needs another name");
    add("twice", {real("lr", 0, 1), real("lr", 0, 1)}, "parameter 'lr' appears twice");
    add("empty", {real("lr", 1, 1)}, "parameter 'lr' has no values: its min 1 is not below its max 1");
    add("upside down", {real("lr", 2, 1)},
        "its min 2 is not below its max 1; a fixed one is written as value = 2");
    add("not finite", {real("lr", 0, INFINITY)}, "not finite");
    add("nowhere", {real("lr", INFINITY, INFINITY)}, "not finite");
    add("not a number", {real("lr", NAN, 1)}, "not finite");
    add("log", {real("lr", 0, 1, true)}, "logarithmic scale, which does not reach its min 0");
    add("log and step", {with_step(real("lr", 1, 2, true), 0.1)}, "a logarithmic scale and a step");
    add("step", {with_step(real("lr", 1, 2), 1.5)},
        "has the step 1.5: it must be above 0 and at most max - min");
    add("a large step", {with_step(real("lr", 1, 3), 2.5)},
        "has the step 2.5: it must be above 0 and at most max - min, which is 2");
    add("too many around 0", {with_step(real("lr", -1, 1), 1e-12)}, "too many values");
    add("too far", {real("lr", -1.7e308, 1.7e308)}, "too far from the other");
    add("too many", {with_step(real("lr", 0, 1), 1e-13)}, "too many values");
    add("a few too many", {with_step(real("lr", 0, 1), 6e-13)}, "too many values");
    add("no step", {with_step(real("lr", 1, 2), 0)}, "has the step 0: it must be above 0");
    add("beyond whole numbers", {integer("n", 0, 9007199254740994)}, "must be whole numbers");
    add("below whole numbers", {integer("n", -9007199254740994, 0)}, "must be whole numbers");
    add("half a step", {with_step(integer("n", 1, 4), 0.5)}, "must be whole numbers");
    add("half at the start", {integer("n", 0.5, 2)}, "must be whole numbers");
    add("min not finite", {real("lr", -INFINITY, 1)}, "not finite");
    add("whole", {integer("n", 1, 2.5)}, "is an integer: its min, max and step must be whole numbers");
    add("no choice", {choice("c", {})}, "parameter 'c' has no values");
    add("same choice", {choice("c", {"a", "a"})}, "has the value 'a' twice");
    add("nobody", {when(real("b", 0, 1), "a", {"1"})}, "depends on 'a', and there is no such parameter");
    add("endless", {real("a", 0, 1), when(real("b", 0, 1), "a", {"1"})},
        "'a', which has endlessly many values");
    add("no value", {choice("a", {"x"}), when(real("b", 0, 1), "a", {})}, "depends on no value of 'a'");
    add("strange value", {choice("a", {"x"}), when(real("b", 0, 1), "a", {"y"})},
        "depends on the value 'y' of 'a', which is not among that parameter's values");
    add("itself", {when(choice("a", {"x"}), "a", {"x"})}, "parameter 'a' depends on itself, by a -> a");
    add("circle",
        {when(choice("a", {"x"}), "b", {"x"}), when(choice("b", {"x"}), "c", {"x"}),
         when(choice("c", {"x"}), "b", {"x"})},
        "parameter 'b' depends on itself, by b -> c -> b");
  }
  void wrongParametersAreNamed() {
    QFETCH(int, which);
    QFETCH(QString, words);
    VERIFY_THROWS("usage", words.toStdString(), Space(wrong().at(static_cast<std::size_t>(which))));
  }

 private:
  static std::vector<std::vector<Parameter>>& wrong() {
    static std::vector<std::vector<Parameter>> wrong;
    return wrong;
  }
};

BATCHSCOPE_TEST(TestSpace)
#include "test_space.moc"
