// SPDX-License-Identifier: Apache-2.0
//
// The charts of a run, which all faces take from one list, by what is recorded.
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <set>

#include "batchscope/common/charts.h"
#include "batchscope/common/charts_json.h"
#include "batchscope/common/derived_series.h"
#include "batchscope/common/readout.h"
#include "test_case.h"

using namespace batchscope::common;
using batchscope::protocol::Json;

namespace {

std::vector<std::string> words(const QString& text) {
  std::vector<std::string> names;
  for (const QString& name : text.split(QLatin1Char(' '))) names.push_back(name.toStdString());
  return names;
}

QString titlesOf(const std::vector<ChartSpec>& charts) {
  QStringList titles;
  for (const ChartSpec& chart : charts) titles << chart.title;
  return titles.join(QStringLiteral(" | "));
}

Json chartNamed(const Json& charts, const std::string& name) {
  for (const Json& chart : charts)
    if (chart.at("name") == name) return chart;
  return nullptr;
}

}  // namespace

class TestCharts : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void ownSeriesGetCharts_data() {
    QTest::addColumn<QString>("recorded");
    QTest::addColumn<QString>("charts");
    QTest::newRow("none") << "loss gain_raw step_time device/cpu/0 replicas lr"
                          << "";
    QTest::newRow("one each") << "perplexity predicted_gain hit_rate"
                              << "perplexity | predicted_gain | hit_rate";
    QTest::newRow("parts of a quantity") << "loss_d loss_g fake_score real_score"
                                         << "loss_d, loss_g | fake_score, real_score";
    QTest::newRow("no more lines than colours") << "norm/1 norm/2 norm/3 norm/4 norm/5 norm/6"
                                                << "norm/1, norm/2, norm/3, norm/4 | norm/5, norm/6";
    QTest::newRow("a name may have any sign") << "top-5 lr/head"
                                              << "top-5 | lr/head";
  }
  void ownSeriesGetCharts() {
    QFETCH(QString, recorded);
    QFETCH(QString, charts);
    QCOMPARE(titlesOf(ownCharts(words(recorded))), charts);
  }

  void accuracyIsThereWhereItIsRecorded() {
    const auto has = [](const QString& recorded) {
      return titlesOf(chartsOf(words(recorded))).contains(QLatin1String("Accuracy"));
    };
    QVERIFY(!has("loss"));
    QVERIFY(has("loss accuracy"));
    const auto charts = chartsOf({"accuracy"});
    const auto chart = std::ranges::find(charts, std::string("accuracy"), &ChartSpec::name);
    QCOMPARE(chart->unit, QStringLiteral("%"));
    QCOMPARE(chart->lines[0].factor, 100.0);
  }

  void criticalBatchSizesStandBesideTheNoise() {
    const auto lines = [](const std::vector<ChartSpec>& charts) {
      return std::ranges::find(charts, std::string("noise"), &ChartSpec::name)->lines;
    };
    const auto without = lines(chartsOf({"loss"})), with = lines(chartsOf({"loss", "critical_batch_size"}));
    QCOMPARE(with.size(), without.size() + 1);
    QCOMPARE(with.back().series, std::string("critical_batch_size"));
    QVERIFY(with.back().isSparse);
    QVERIFY(ownCharts({"critical_batch_size"}).empty());
  }

  // Nobody looks for the ends of the gain's interval in a chart of their own.
  void whatIsEstimatedHasABand() {
    QVERIFY(ownCharts({"gain", "gain_low", "gain_high"}).empty());
    for (const ChartSpec& chart : runCharts()) {
      for (const LineSpec& line : chart.lines) {
        const bool isEstimated =
            line.series == "gain" || line.series == "efficiency" || line.series == "goodput";
        QCOMPARE(!line.low.empty() && !line.high.empty(), isEstimated);
      }
    }
    const auto low = derivedSeries(kGoodputLow), high = derivedSeries(kEfficiencyHigh);
    QCOMPARE(low->inputs, (std::vector<std::string>{"goodput", "gain_low", "gain"}));
    QCOMPARE(high->inputs, (std::vector<std::string>{"efficiency", "gain_high", "gain"}));
    QCOMPARE(low->value(std::vector{1000.0, 3.0, 4.0}), 750.0);
    QCOMPARE(high->value(std::vector{0.5, 5.0, 4.0}), 0.625);
  }

  void devicesHaveALineAReplica() {
    const auto charts = deviceCharts(words("device/cpu/10 device/cpu/2 device/gpu_power/0 device/cpu/x"));
    QCOMPARE(titlesOf(charts), QStringLiteral("Cores in use | GPU power"));
    QCOMPARE(charts[0].lines.size(), std::size_t{2});
    QCOMPARE(charts[0].lines[0].series, std::string("device/cpu/2"));  // in the order of the ranks
    QCOMPARE(charts[0].lines[1].label, QStringLiteral("10"));
  }

  // A chart that is added to the list is in the page, too.
  void thePageHasAllOfThem() {
    const std::vector<std::string> recorded = words("accuracy gain perplexity device/cpu/0");
    const Json charts = chartsJson(recorded);
    for (const ChartSpec& chart : chartsOf(recorded)) {
      const Json found = chartNamed(charts, chart.name);
      QVERIFY2(found.is_object(), chart.name.c_str());
      QCOMPARE(found.at("title").get<std::string>(), chart.title.toStdString());
      QCOMPARE(found.at("lines").size(), chart.lines.size());
      QCOMPARE(found.at("isUsual").get<bool>(), chart.showing != Showing::Chosen);
    }
    QVERIFY(chartNamed(charts, "device-cpu").is_object());
  }

  void linesSayHowTheyAreDrawn() {
    const Json charts = chartsJson({"loss"});
    const Json goodput = chartNamed(charts, "goodput"), time = chartNamed(charts, "step-time");
    QCOMPARE(goodput.at("rightTop").get<double>(), 1.0);
    QVERIFY(goodput.at("lines")[1].at("isMain").get<bool>());
    QVERIFY(!goodput.at("lines")[0].contains("isMain"));
    QCOMPARE(time.at("lines")[0].at("series").get<std::string>(), std::string(kComputeTime));
    QCOMPARE(time.at("lines")[0].at("factor").get<double>(), 1000.0);
    QVERIFY(chartNamed(charts, "noise").at("isLogLog").get<bool>());
  }

  void valuesAreReadOutInTheirUnits_data() {
    QTest::addColumn<std::string>("series");
    QTest::addColumn<double>("value");
    QTest::addColumn<double>("bound");
    QTest::addColumn<QString>("text");
    const auto row = [](const char* series, double value, double bound, const char* text) {
      QTest::addRow("%s %g %g", series, value, bound)
          << std::string(series) << value << bound << QString(text);
    };
    row("gain", 3.2, 4, "3.20 of 4");
    row("gain", 3.2, NAN, "3.20");
    row("gain", NAN, 4, "–");
    row("loss", 0.25, NAN, "0.250");
    row("batch_size", 512, NAN, "512 samples");
    row("step_time", 0.0125, NAN, "12.5 ms");
    row("model_step_time", 0.0125, NAN, "≈ 12.5 ms");
    row("model_step_time", NAN, NAN, "–");
  }
  void valuesAreReadOutInTheirUnits() {
    QFETCH(const std::string, series);
    QFETCH(const double, value);
    QFETCH(const double, bound);
    for (const ReadoutRow& row : readoutRows())
      if (row.series == series) QTEST(readoutText(row, value, bound), "text");
  }

  void theReadoutIsToldAsItIs() {
    const Json rows = readoutJson();
    QCOMPARE(rows.size(), readoutRows().size());
    QCOMPARE(rows.front().dump(), std::string(R"({"bound":"scale","label":"Gain","series":"gain"})"));
    QCOMPARE(
        rows.back().dump(),
        std::string(
            R"({"factor":1000.0,"isPredicted":true,"label":"predicted","series":"model_step_time","unit":"ms"})"));
  }

  void namesAreOneEach() {
    const std::vector<ChartSpec> charts = runCharts();
    std::set<std::string> names;
    for (const ChartSpec& chart : charts) names.insert(chart.name);
    QCOMPARE(names.size(), charts.size());
  }
};

BATCHSCOPE_TEST(TestCharts)
#include "test_charts.moc"
