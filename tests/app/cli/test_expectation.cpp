// SPDX-License-Identifier: Apache-2.0
//
// Expectations: what can be written, what is refused with which words, and how they are judged.
#include <limits>

#include "batchscope/protocol/error.h"
#include "follow/expectation.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::cli;

class TestExpectation : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void parsesWithAndWithoutSpaces_data();
  void parsesWithAndWithoutSpaces();
  void refusesNonsense_data();
  void refusesNonsense();
  void judgesNumbers_data();
  void judgesNumbers();
  void judgesTheState();
  void failsWhereThereIsNothingToSee();
  void neverPassesOnNan();
};

void TestExpectation::parsesWithAndWithoutSpaces_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("canonical");
  QTest::newRow("tight") << "accuracy>=0.97"
                         << "accuracy >= 0.97";
  QTest::newRow("spaced") << "  loss  <  1e-2 "
                          << "loss < 1e-2";
  QTest::newRow("equal") << "generations==4"
                         << "generations == 4";
  QTest::newRow("negative") << "loss>-1"
                            << "loss > -1";
  QTest::newRow("state") << "state != failed"
                         << "state != failed";
}

void TestExpectation::parsesWithAndWithoutSpaces() {
  QFETCH(QString, text);
  QFETCH(QString, canonical);
  QCOMPARE(QString::fromStdString(Expectation::parse(text.toStdString()).text()), canonical);
}

void TestExpectation::refusesNonsense_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("complaint");
  QTest::newRow("no comparison") << "accuracy"
                                 << "no comparison";
  QTest::newRow("unknown comparison") << "accuracy=0.9"
                                      << "none that is known";
  QTest::newRow("no name") << ">=0.9"
                           << "name is missing";
  QTest::newRow("no value") << "accuracy>="
                            << "value is missing";
  QTest::newRow("not a number") << "accuracy>=high"
                                << "not a number";
  QTest::newRow("percent") << "accuracy>=97%"
                           << "not a number";
  QTest::newRow("unknown state") << "state==done"
                                 << "not a state";
  QTest::newRow("ordered state") << "state>=finished"
                                 << "only be compared";
}

void TestExpectation::refusesNonsense() {
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

void TestExpectation::judgesNumbers_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<bool>("passes");
  QTest::newRow(">= above") << "accuracy>=0.97" << true;
  QTest::newRow(">= equal") << "accuracy>=0.975" << true;
  QTest::newRow(">= below") << "accuracy>=0.98" << false;
  QTest::newRow("<= equal") << "accuracy<=0.975" << true;
  QTest::newRow("> equal") << "accuracy>0.975" << false;
  QTest::newRow("< equal") << "accuracy<0.975" << false;
  QTest::newRow("==") << "generations==4" << true;
  QTest::newRow("!=") << "generations!=4" << false;
}

void TestExpectation::judgesNumbers() {
  QFETCH(QString, text);
  QFETCH(bool, passes);
  const Facts facts{"finished", {{"accuracy", 0.975}, {"generations", 4}}};
  const auto verdicts = judge({Expectation::parse(text.toStdString())}, facts);
  QCOMPARE(verdicts.size(), std::size_t{1});
  QCOMPARE(verdicts[0].passed, passes);
  QCOMPARE(allPassed(verdicts), passes);
}

void TestExpectation::judgesTheState() {
  const Facts facts{"stopped", {}};
  const auto passed = judge({Expectation::parse("state==stopped")}, facts);
  QVERIFY(allPassed(passed));
  QVERIFY(stateWasExpected(passed));
  const auto failed = judge({Expectation::parse("state==finished")}, facts);
  QVERIFY(!allPassed(failed));
  QVERIFY(!stateWasExpected(failed));
  QCOMPARE(failed[0].seen, std::string("stopped"));
}

void TestExpectation::failsWhereThereIsNothingToSee() {
  const auto verdicts = judge({Expectation::parse("accuracy!=0.5")}, {"finished", {}});
  QVERIFY(!verdicts[0].passed);
  QCOMPARE(verdicts[0].seen, std::string("nothing"));
}

void TestExpectation::neverPassesOnNan() {
  const Facts facts{"finished", {{"loss", std::numeric_limits<double>::quiet_NaN()}}};
  for (const char* text : {"loss<1", "loss>=1", "loss==1", "loss!=1"})
    QVERIFY2(!judge({Expectation::parse(text)}, facts)[0].passed, text);
}

BATCHSCOPE_TEST(TestExpectation)
#include "test_expectation.moc"
