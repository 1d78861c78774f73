// SPDX-License-Identifier: Apache-2.0
//
// Numbers and times as a person reads them. The page passes the same table of numbers.
#include "batchscope/common/number_text.h"

#include <QLocale>
#include <functional>
#include <map>

#include "batchscope/common/run_text.h"
#include "batchscope/protocol/json.h"
#include "test_case.h"
#include "text_files.h"

using namespace batchscope::common;
using batchscope::protocol::Json;

namespace {

const std::map<std::string, std::function<QString(double)>> kFunctions{
    {"count", [](double value) { return formatCount(static_cast<std::int64_t>(value)); }},
    {"number", [](double value) { return formatNumber(value); }},
    {"number of 4 digits", [](double value) { return formatNumber(value, 4); }},
    {"percent", [](double value) { return formatPercent(value); }},
    {"percent of 3 digits", [](double value) { return formatPercent(value, 3); }},
    {"duration", formatDuration},
    {"pause", formatPause},
    {"clock", formatClock},
    {"bytes", [](double value) { return formatBytes(static_cast<std::int64_t>(value)); }},
    {"replicas", [](double value) { return replicaCount(static_cast<int>(value)); }},
};

}  // namespace

class TestNumberText : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QLocale::setDefault(QLocale(QLocale::English)); }

  void numbersReadAsInTheTable_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("text");
    const Json cases = Json::parse(batchscope::testing::contents(NUMBER_CASES));
    for (const auto& [name, rows] : cases.items())
      for (const Json& row : rows)
        QTest::addRow("%s of %s", name.c_str(), row[0].dump().c_str())
            << QString::fromStdString(name) << batchscope::protocol::decode_number(row[0])
            << QString::fromStdString(row[1].get<std::string>());
  }
  void numbersReadAsInTheTable() {
    QFETCH(QString, name);
    QFETCH(double, value);
    QTEST(kFunctions.at(name.toStdString())(value), "text");
  }

  void whatIsNotATimeIsADash() {
    QCOMPARE(formatTimeOfDay(0), QStringLiteral("–"));
    QCOMPARE(formatTimeOfDay(1e300), QStringLiteral("–"));
  }
};

BATCHSCOPE_TEST(TestNumberText)
#include "test_number_text.moc"
