// SPDX-License-Identifier: Apache-2.0
//
// Expectations: what can be written, what is refused with which words, and how they are judged.
#include <limits>

#include "batchscope/protocol/error.h"
#include "follow/expectation.h"
#include "rows.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::cli;

class TestExpectation : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void parsesWithAndWithoutSpaces_data() {
    const auto row = testing::columns<QString, QString>({"text", "canonical"});
    row("tight", "accuracy>=0.97", "accuracy >= 0.97");
    row("spaced", "  loss  <  1e-2 ", "loss < 1e-2");
    row("equal", "generations==4", "generations == 4");
    row("negative", "loss>-1", "loss > -1");
    row("state", "state != failed", "state != failed");
  }
  void parsesWithAndWithoutSpaces() {
    QFETCH(QString, text);
    QFETCH(QString, canonical);
    QCOMPARE(QString::fromStdString(Expectation::parse(text.toStdString()).text()), canonical);
  }

  void refusesNonsense_data() {
    const auto row = testing::columns<QString, QString>({"text", "complaint"});
    row("no comparison", "accuracy", "no comparison");
    row("unknown comparison", "accuracy=0.9", "the comparison is unknown");
    row("no name", ">=0.9", "name is missing");
    row("no value", "accuracy>=", "value is missing");
    row("not a number", "accuracy>=high", "not a number");
    row("percent", "accuracy>=97%", "not a number");
    row("unknown state", "state==done", "not a state");
    row("ordered state", "state>=finished", "only be compared");
  }
  void refusesNonsense() {
    QFETCH(QString, text);
    QFETCH(QString, complaint);
    try {
      Expectation::parse(text.toStdString());
      QFAIL("accepted");
    } catch (const Error& error) {
      QCOMPARE(error.kind(), ErrorKind::usage);
      const QString message = error.what();
      QVERIFY2(message.contains(complaint), error.what());
      QVERIFY2(message.contains(text), error.what());
    }
  }

  void judgesNumbers_data() {
    const auto row = testing::columns<QString, bool>({"text", "passes"});
    row(">= above", "accuracy>=0.97", true);
    row(">= equal", "accuracy>=0.975", true);
    row(">= below", "accuracy>=0.98", false);
    row("<= equal", "accuracy<=0.975", true);
    row("> equal", "accuracy>0.975", false);
    row("< equal", "accuracy<0.975", false);
    row("==", "generations==4", true);
    row("!=", "generations!=4", false);
  }
  void judgesNumbers() {
    QFETCH(QString, text);
    QFETCH(bool, passes);
    const Facts facts{"finished", {{"accuracy", 0.975}, {"generations", 4}}};
    const auto verdicts = judge({Expectation::parse(text.toStdString())}, facts);
    QCOMPARE(verdicts.size(), std::size_t{1});
    QCOMPARE(verdicts[0].passed, passes);
    QCOMPARE(allPassed(verdicts), passes);
  }

  void judgesTheState() {
    const Facts facts{"stopped", {}};
    const auto passed = judge({Expectation::parse("state==stopped")}, facts);
    QVERIFY(allPassed(passed));
    QVERIFY(stateWasExpected(passed));
    const auto failed = judge({Expectation::parse("state==finished")}, facts);
    QVERIFY(!allPassed(failed));
    QVERIFY(!stateWasExpected(failed));
    QCOMPARE(failed[0].seen, std::string("stopped"));
  }

  void failsWhereThereIsNothingToSee() {
    const auto verdicts = judge({Expectation::parse("accuracy!=0.5")}, {"finished", {}});
    QVERIFY(!verdicts[0].passed);
    QCOMPARE(verdicts[0].seen, std::string("nothing"));
  }

  void neverPassesOnNan() {
    const Facts facts{"finished", {{"loss", std::numeric_limits<double>::quiet_NaN()}}};
    for (const char* text : {"loss<1", "loss>=1", "loss==1", "loss!=1"})
      QVERIFY2(!judge({Expectation::parse(text)}, facts)[0].passed, text);
  }
};

BATCHSCOPE_TEST(TestExpectation)
#include "test_expectation.moc"
