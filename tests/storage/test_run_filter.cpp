// SPDX-License-Identifier: Apache-2.0
//
// The filter expression: what it means, where it says it is wrong, and that no text can hurt it.
#include <cmath>
#include <iterator>
#include <random>
#include <sstream>

#include "rows.h"
#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;

namespace {

constexpr double kNow = 1'700'000'000;

Run example() {
  Run run;
  run.id = "3f9a12bc";
  run.name = "Digits wide";
  run.state = RunState::finished;
  run.created = kNow - 7200;
  run.ended = kNow - 3600;
  run.replicas = 2;
  run.step = 400;
  run.epoch = 3;
  run.fraction = 0.5;
  run.tags = {"baseline", "paper"};
  run.note = "the \"good\" one";
  run.spec.group = "ablation";
  run.latest = {{"accuracy", 0.98}, {"loss", NAN}, {"gain", INFINITY}, {"lr", 0.2}};
  run.hyperparameters = {{"lr", "0.1"}, {"optimizer", "adam"}, {"width", "128"}};
  return run;
}

FilterError fault_of(std::string_view text) {
  try {
    RunFilter::parse(text);
  } catch (const FilterError& error) {
    return error;
  }
  return {"", 999, 1, "nothing was thrown"};
}

}  // namespace

class TestRunFilter : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    qputenv("TZ", "UTC");  // times are local
    tzset();
  }

  void matches_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("expected");
    const std::pair<const char*, bool> rows[] = {
        {"", true},
        {"  \t ", true},
        {"accuracy>0.97", true},
        {"accuracy > 98%", false},
        {"accuracy>=98%", true},
        {"accuracy<=98%", true},
        {"accuracy<=97%", false},
        {"accuracy<98%", false},
        {"accuracy>+0.97", true},
        {"age>+1h", true},
        {"accuracy>0.97 and replicas=2 and (tag=paper or name~digits)", true},
        {"accuracy>0.99 or replicas==2", true},
        {"replicas=2 or replicas=3 and step=1", true},  // and binds more closely
        {"(replicas=2 or replicas=3) and step=1", false},
        {"not replicas=2", false},
        {"not not replicas=2", true},
        {"NOT (replicas=3 OR step<400) AND epoch!=4", true},
        {"name~digits", true},
        {"name~DIGITS", true},
        {"name~'s w'", true},
        {"name~'d*s'", false},  // no wildcards
        {"name~.", false},
        {"accuracy~0.9", false},
        {"accuracy!~0.9", true},
        {"name!~wide", false},
        {"name='Digits wide'", true},
        {"name=\"Digits wide\"", true},
        {"name<E", true},
        {"note~'\"good\"'", true},
        {"note = \"the \"\"good\"\" one\"", true},
        {"id=3f9a12bc", true},
        {"tag=paper", true},
        {"tag=pap", false},
        {"tag~pap", true},
        {"tag!=paper", false},
        {"tag!=draft", true},
        {"tag!~base", false},
        {"group=ablation", true},
        {"state=finished", true},
        {"state!=failed", true},
        {"state~fin", true},
        {"age>1h", true},
        {"age<2d", true},
        {"age=7200", true},
        {"duration=60m", true},
        {"duration<1h", false},
        {"duration<3601000ms", true},
        {"created>2023-01-01", true},
        {"created=1699992800", true},
        {"created=2023-11-14T20:13:20", true},
        {"created='2023-11-14 20:13:20'", true},
        {"created>2023-11-14T20:13", true},
        {"created>'2023-11-14 20:13'", true},
        {"created<'2023-11-14 20:14'", true},
        {"created<2023-11-15", true},
        {"created>2023-11-14", true},
        {"created>1969-12-31T23:59:59", true},  // the second before time begins
        {"ended<2023-01-01T10:30", false},
        {"fraction=50%", true},
        {"loss=nan", true},
        {"loss!=nan", false},
        {"accuracy!=nan", true},
        {"loss<1", false},
        {"loss!=1", false},  // nothing else holds of NaN
        {"gain=inf", true},
        {"gain>1e300", true},
        {"gain>-inf", true},
        {"lr=0.2", true},  // the series before the hyperparameter
        {"param:lr=0.1", true},
        {"series:lr=0.10", false},
        {"optimizer=adam", true},
        {"optimizer!=sgd", true},
        {"optimizer~ADA", true},
        {"width>64", true},
        {"width<3m", true},
        {"optimizer>5", true},  // as texts
        {"optimizer<5", false},
        {"accuracy<nan", false},
        {"width='128'", true},
        {"missing=1", false},
        {"missing!=1", true},
        {"missing!~x", true},
        {"missing~x", false},
        {"'accuracy'>0.5", true},
    };
    for (const auto& [text, expected] : rows) QTest::newRow(text) << text << expected;
  }

  void matches() {
    QFETCH(QString, text);
    QFETCH(bool, expected);
    QCOMPARE(RunFilter::parse(text.toStdString()).matches(example(), kNow), expected);
  }

  void aRunThatGoesOnHasNoEnd() {
    Run run = example();
    run.ended = 0;
    QVERIFY(!RunFilter::parse("ended<2100-01-01").matches(run, kNow));
    QVERIFY(RunFilter::parse("duration=2h").matches(run, kNow));
    QVERIFY(RunFilter::parse("ended<2100-01-01").matches(example(), kNow));
    run.devices = {"cpu:0", "cpu:1"};
    QVERIFY(field_value(run, "devices", kNow) == FieldValue(std::string("cpu:0,cpu:1")));
  }

  void aTrialIsFoundByItsSweep() {
    const RunFilter filter = RunFilter::parse("sweep=lr and trial=3");
    Run run = example();
    QVERIFY(!filter.matches(run, kNow));
    run.trial = {"lr", 3, 0, true};
    QVERIFY(filter.matches(run, kNow));
    QVERIFY(RunFilter::parse("state=diverged").matches(run, kNow));
    run.state = RunState::running;
    QVERIFY(RunFilter::parse("state=running").matches(run, kNow));
  }

  void pointsAtTheFault_data() {
    const auto row = testing::columns<QString, int, QString>({"text", "column", "reason"});
    row("no operator", "accuracy", 0, "a comparison is missing after");
    row("two fields", "accuracy loss>1", 9, "a comparison is missing before");
    row("no value", "a>1 and loss<", 12, "a value is missing after");
    row("no field", "a>1 and >2", 8, "a field is missing");
    row("trailing and", "a>1 and", 7, "a field is missing");
    row("leading or", "or a>1", 0, "a comparison is missing before");
    row("no conjunction", "a>1 b>2", 4, "\"and\" or \"or\"");
    row("unclosed", "a>1 and (b>2", 8, "never closed");
    row("unopened", "a>1) and b>2", 3, "closes nothing");
    row("unquoted", "name='digits", 5, "never closed");
    row("operator", "a=>1", 1, "unknown comparison");
    row("number", "replicas=two", 9, "replicas is a number");
    row("duration", "age>soon", 4, "age is a duration");
    row("time", "created>2026-13-01", 8, "created is a time");
    row("no such day", "created>2026-02-31", 8, "created is a time");
    row("state", "state=runing", 6, "did you mean running?");
    row("order of states", "state>running", 5, "a state is compared by");
    row("order of tags", "tag<a", 3, "a tag is compared by");
    row("search in a number", "replicas~2", 8, "not text to search in");
    row("empty parentheses", "()", 1, "a field is missing");
  }

  void pointsAtTheFault() {
    QFETCH(QString, text);
    QFETCH(int, column);
    QFETCH(QString, reason);
    const FilterError fault = fault_of(text.toStdString());
    QCOMPARE(static_cast<int>(fault.column()), column);
    QVERIFY2(fault.reason().find(reason.toStdString()) != std::string::npos, fault.reason().c_str());
    QCOMPARE(fault.kind(), ErrorKind::usage);
  }

  void drawsACaretUnderTheFault() {
    const std::string text = fault_of("näme\t='ü' and replicas = zwei").what();
    QCOMPARE(QString::fromStdString(text),
             QStringLiteral("the filter is wrong at column 26: replicas is a number, such as 2, 0.97 or 97%\n"
                            "  näme ='ü' and replicas = zwei\n"
                            "                           ^~~~"));
    QVERIFY(
        QByteArray(fault_of("name='digits").what()).endsWith("\n       ^"));  // where the quotation begins
    // No character is cut in two, and none drives the terminal.
    std::string umlauts;
    for (int i = 0; i < 60; ++i) umlauts += "ü";
    const std::string cut = fault_of("a='" + umlauts + "' and replicas=\x7Fseven" + umlauts + "x").what();
    QVERIFY(QString::fromUtf8(cut.c_str()).toStdString() == cut && cut.find('\x7F') == std::string::npos);
    const std::string far = fault_of(std::string(200, ' ') + "(" + std::string(200, ' ')).what();
    QVERIFY2(far.find('^') != std::string::npos && far.size() < 400, far.c_str());
  }

  // Sixty bytes of the text on either side, and no more than twice as many in all.
  void quotesTheTextAroundTheFault() {
    const auto blanks = [](int count) { return std::string(static_cast<std::size_t>(count), ' '); };
    const auto quoted = [](const std::string& text) {
      const std::string what = fault_of(text).what();
      return what.substr(what.find('\n') + 1);
    };
    QCOMPARE(quoted(blanks(100) + "replicas=two" + blanks(100)),
             "  ..." + blanks(51) + "replicas=two" + blanks(57) + "...\n  " + blanks(63) + "^~~");
    QCOMPARE(quoted(blanks(51) + "replicas=two" + blanks(57)),
             "  " + blanks(51) + "replicas=two" + blanks(57) + "\n  " + blanks(60) + "^~~");
    const std::string x(111, 'x'), marks(110, '~');
    QCOMPARE(quoted("replicas=" + x), "  replicas=" + x + "\n  " + blanks(9) + "^" + marks);
    QCOMPARE(quoted("replicas=" + x + "x"), "  replicas=" + x + "...\n  " + blanks(9) + "^" + marks);
  }

  void suggestsTheNearestField() {
    const Run run = example();
    const auto names = field_names({&run, 1});
    RunFilter::parse("optimizer=adam and series:anything>1 and param:any=1").check_fields(names);
    try {
      RunFilter::parse("step>1 and acuracy>0.9").check_fields(names);
      QFAIL("an unknown field passed");
    } catch (const FilterError& fault) {
      QCOMPARE(fault.column(), 11u);
      QCOMPARE(fault.length(), 7u);
      QVERIFY(fault.reason().find("did you mean accuracy?") != std::string::npos);
    }
  }

  void boundsItsInput() {
    const std::string open(RunFilter::kDeepestNesting - 1, '('), close(RunFilter::kDeepestNesting - 1, ')');
    QVERIFY(RunFilter::parse(open + "step=400" + close).matches(example(), kNow));
    QCOMPARE(kind_of([&] { RunFilter::parse("(" + open + "step=400" + close + ")"); }), "usage");
    QCOMPARE(kind_of([&] { RunFilter::parse(std::string(4000, '(')); }), "usage");
    QVERIFY(RunFilter::parse(std::string(RunFilter::kLongestText, ' ')).matches(example(), kNow));
    QCOMPARE(kind_of([&] { RunFilter::parse(std::string(RunFilter::kLongestText + 1, ' ')); }), "usage");
    std::string chain = "not ";
    while (chain.size() < 4000) chain += "not ";
    QVERIFY(RunFilter::parse(chain + "step=1").matches(example(), kNow) == (chain.size() / 4 % 2 == 1));
  }

  // Pieces of filters and raw bytes in any order: a filter or a FilterError, never anything else.
  void survivesAnyText() {
    std::istringstream words(
        "and or not ( ) = != ~ < >= accuracy state tag age ' \" 0.97 97% nan - 1e400 2026-05-03 \xC3 \xFF "
        "created");
    std::vector<std::string> pieces(std::istream_iterator<std::string>(words), {});
    pieces.insert(pieces.end(), {" ", "\t", std::string(1, '\0')});
    std::mt19937 random(7);
    const Run run = example();
    int understood = 0;
    for (int round = 0; round < 20'000; ++round) {
      std::string text;
      for (std::size_t i = random() % 12; i > 0; --i) text += pieces[random() % pieces.size()];
      try {
        RunFilter::parse(text).matches(run, kNow);
        ++understood;
      } catch (const FilterError& fault) {
        QVERIFY(fault.column() <= text.size());
      }
    }
    QVERIFY(understood > 100);
  }

  void whatIsNotThereIsLastInEitherOrder() {
    const FieldValue one = 1.0, two = 2.0, text = std::string("a"), nan = NAN, nothing = FieldValue();
    for (const bool descending : {false, true}) {
      QCOMPARE(field_before(one, two, descending), !descending);
      QCOMPARE(field_before(two, one, descending), descending);
      QCOMPARE(field_before(one, text, descending), !descending);
      for (const FieldValue& there : {one, text})
        for (const FieldValue& absent : {nan, nothing}) {
          QVERIFY(field_before(there, absent, descending));
          QVERIFY(!field_before(absent, there, descending));
        }
      QVERIFY(!field_before(nan, nothing, descending) && !field_before(nothing, nan, descending));
      QVERIFY(!field_before(one, one, descending));
    }
  }

  void sortsWhatIsThereBeforeWhatIsNot() {
    std::vector<FieldValue> values{FieldValue(),    NAN, std::string("b"), 3.0, std::string("2"),
                                   std::string("a")};
    std::sort(values.begin(), values.end(), field_less);
    QCOMPARE(std::get<std::string>(values[0]), std::string("2"));
    QCOMPARE(std::get<double>(values[1]), 3.0);
    QCOMPARE(std::get<std::string>(values[2]), std::string("a"));
    QCOMPARE(std::get<std::string>(values[3]), std::string("b"));
    QVERIFY(std::isnan(std::get<double>(values[4])));
    QVERIFY(std::isnan(number_of(values[5])));
    QCOMPARE(values[5].index(), 0u);
  }
};

BATCHSCOPE_TEST(TestRunFilter)
#include "test_run_filter.moc"
