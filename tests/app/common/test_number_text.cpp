// SPDX-License-Identifier: Apache-2.0
//
// Numbers and times as a person reads them.
#include "batchscope/common/number_text.h"

#include <QLocale>
#include <cmath>

#include "test_case.h"

using namespace batchscope::common;

class TestNumberText : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QLocale::setDefault(QLocale(QLocale::English)); }

  void numbersHaveFewDigits_data() {
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("text");
    const auto row = [](double value, const char* text) {
      QTest::newRow(text) << value << QString::fromUtf8(text);
    };
    row(4731.4, "4,731");
    row(18'223, "18,220");
    row(96, "96");
    row(4.2137, "4.21");
    row(5.438e-5, "5.44 × 10⁻⁵");
    row(0, "0");
    row(std::nan(""), "–");
    row(-INFINITY, "−∞");
  }
  void numbersHaveFewDigits() {
    QFETCH(double, value);
    QTEST(formatNumber(value), "text");
  }

  void aTimeHasTheUnitThatFits() {
    QCOMPARE(formatDuration(89), QStringLiteral("89 s"));
    QCOMPARE(formatDuration(3660), QStringLiteral("61 min"));
    QCOMPARE(formatDuration(7800), QStringLiteral("2 h 10 min"));
    QCOMPARE(formatDuration(2 * 86'400 + 3600), QStringLiteral("2 days 1 h"));
    QCOMPARE(formatClock(2201), QStringLiteral("36:41"));
    QCOMPARE(formatPause(0.064), QStringLiteral("64 ms"));
    QCOMPARE(formatPause(1.402), QStringLiteral("1.40 s"));
  }

  void aShareIsInPercent() {
    QCOMPARE(formatPercent(0.186), QStringLiteral("19 %"));
    QCOMPARE(formatPercent(0.9837, 3), QStringLiteral("98.4 %"));
    QCOMPARE(formatPercent(1, 3), QStringLiteral("100 %"));
  }

  void whatIsNotATimeIsADash() {
    QCOMPARE(formatTimeOfDay(0), QStringLiteral("–"));
    QCOMPARE(formatTimeOfDay(1e300), QStringLiteral("–"));
  }
};

BATCHSCOPE_TEST(TestNumberText)
#include "test_number_text.moc"
