// SPDX-License-Identifier: Apache-2.0
//
// Lengths of time as people write them.
#include "batchscope/protocol/duration.h"
#include "rows.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::protocol;

class TestDuration : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void unitsAreRead_data() {
    const auto row = testing::columns<double>({"seconds"});
    row("90", 90);
    row("90s", 90);
    row("500ms", 0.5);
    row("10m", 600);
    row("10min", 600);
    row("2h", 7200);
    row("3d", 259'200);
    row("1w", 604'800);
    row("1.5h", 5400);
    row("+2m", 120);
    row("-2m", -120);
    row("0", 0);
  }
  void unitsAreRead() { QTEST(seconds_of(QTest::currentDataTag()).value(), "seconds"); }

  void whatIsNoneIsQuoted_data() {
    testing::rows("text", {"", "x", "10 m", "10q", "m", "1h30m", "3 d", "d", "--1", "+", "-2m", "inf", "nan",
                           "1e999", "1e308h"});
  }
  void whatIsNoneIsQuoted() {
    QFETCH(const QString, text);
    const std::string given = text.toStdString();
    VERIFY_THROWS("usage", "'" + given + "' is not a duration", parse_duration(given));
  }

  void itHasAnEnd() {
    QCOMPARE(parse_duration("0"), 0.0);
    QCOMPARE(parse_duration("100000000"), 1e8);
    VERIFY_THROWS("usage", "'30000h' is too long", parse_duration("30000h"));
    VERIFY_THROWS("usage", "'100000001' is too long: a duration has at most 1157d",
                  parse_duration("100000001"));
  }
};

BATCHSCOPE_TEST(TestDuration)
#include "test_duration.moc"
