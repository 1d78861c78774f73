// SPDX-License-Identifier: Apache-2.0
//
// Ticks, maps between axes, units, and the forms of data that all faces share.
#include <cmath>
#include <limits>

#include "batchscope/common/data_forms.h"
#include "batchscope/common/sample_table.h"
#include "batchscope/common/series_unit.h"
#include "batchscope/common/step_map.h"
#include "batchscope/common/ticks.h"
#include "test_case.h"

using namespace batchscope::common;
using batchscope::protocol::Json;
using batchscope::storage::Bucket;

namespace {

using Numbers = std::vector<double>;

}  // namespace

class TestPlotCore : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void ticksAreRound() {
    QCOMPARE(roundInterval(0, 1, 4), 0.25);
    QCOMPARE(roundInterval(0, 9, 4), 2.5);
    QCOMPARE(roundInterval(3, 3, 4), 1.0);
    QCOMPARE(roundTicks(-3, 3, 4), (Numbers{-2, 0, 2}));
    QCOMPARE(roundTicks(1, 1, 5), Numbers{1});
    QCOMPARE(roundTicks(0, INFINITY, 5), Numbers{0});
    QVERIFY(multiples(0, 1e9, 1).size() <= 100);
  }

  void logarithmicTicksArePowers() {
    QCOMPARE(powers(1, 16, 2, 5), (Numbers{1, 2, 4, 8, 16}));
    QCOMPARE(logTicks(0.05, 200, 8), (Numbers{0.1, 1, 10, 100}));
    QCOMPARE(logTicks(2, 3, 2), (Numbers{2, 2.5, 3}));
    QVERIFY(powers(1, 1e9, 10, 5).size() <= 6);
  }

  void valuesHaveAPlace() {
    QCOMPARE(axisPlace(3, 1, 5, false), 0.5);
    QCOMPARE(axisPlace(10, 1, 100, true), 0.5);
    QVERIFY(std::isnan(axisPlace(0, 1, 100, true)));
    QVERIFY(!std::signbit(multiples(-1, 1, 1)[1]));
  }

  void decimalsTellTicksApart() {
    QCOMPARE(decimalsOf(0.25, 6), 2);
    QCOMPARE(decimalsOf(500, 6), 0);
    QCOMPARE(decimalsOf(1e-5, 6), 5);
    QCOMPARE(decimalsOf(1e-9, 6), 6);
  }

  void stepsAreMappedThereAndBack() {
    const std::vector<Bucket> buckets{{1, 4, 4, 10, 40, 25}, {9, 9, 1, 90, 90, 90}};
    const StepMap map(buckets, 10);
    QCOMPARE(map.at(0), 0.0);
    QCOMPARE(map.at(2), 10.0);
    QCOMPARE(map.at(6.5), 55.0);  // between the two
    QCOMPARE(map.at(100), 80.0);
    for (const double step : {1.0, 2.5, 4.0, 6.5, 9.0}) QCOMPARE(map.stepAt(map.at(step)), step);
    QCOMPARE(map.stepAt(-7), 1.0);
    QCOMPARE(StepMap().at(5), 5.0);
    QCOMPARE(StepMap().stepAt(5), 5.0);
    QVERIFY(std::isnan(StepMap({}, 0).at(5)) && std::isnan(StepMap({}, 0).stepAt(5)));
  }

  void seriesHaveUnits() {
    QCOMPARE(kindOf("accuracy"), SeriesKind::fraction);
    QCOMPARE(QByteArray(unitOf("step_time").name), QByteArray("ms"));
    QCOMPARE(unitOf("step_time").factor, 1000.0);
    QCOMPARE(kindOf("my/own"), SeriesKind::number);
  }

  void bothFormsSayTheSame() {
    const SampleTable table{
        {"a,\"b\"", "loss"},
        {{0, 1, {0.1, NAN}}, {0, 2, {std::nullopt, -INFINITY}}, {1, 3, {INFINITY, 5e-324}}}};
    QCOMPARE(toCsv(table),
             std::string("generation,step,\"a,\"\"b\"\"\",loss\n0,1,0.1,nan\n0,2,,-inf\n1,3,inf,5e-324\n"));
    const Json rows = Json::parse(toJson(table))["samples"];
    QVERIFY(rows[0]["loss"] == "nan");
    QVERIFY(rows[1]["a,\"b\""].is_null());
    QVERIFY(rows[1]["loss"] == "-inf");
    QCOMPARE(rows[2]["loss"].get<double>(), 5e-324);
    QVERIFY(rows[2]["generation"] == 1);
  }
};

BATCHSCOPE_TEST(TestPlotCore)
#include "test_plot_core.moc"
