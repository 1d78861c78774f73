// SPDX-License-Identifier: Apache-2.0
#include <QStringList>
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "batchscope/common/charts.h"
#include "batchscope/common/series_unit.h"
#include "batchscope/protocol/series.h"

namespace batchscope::common {
namespace {

namespace names = protocol::series;

constexpr std::size_t kMostLines = 4;  // as many colours as a chart tells apart

// The series of every run that no chart draws.
constexpr std::array kBookkeeping{
    names::kMono,           names::kTime,    names::kEpoch,    names::kReplicas,
    names::kNonFiniteSteps, names::kSamples, names::kStepTime, names::kCriticalBatchSize};

// Quantities whose parts compare: a word of a series' name, first or last.
constexpr std::array<std::string_view, 8> kQuantities{"loss", "score", "accuracy", "error",
                                                      "norm", "rate",  "reward",   "time"};

bool isKnown(const std::string& series) {
  static const std::set<std::string> known = [] {
    std::set<std::string> all(kBookkeeping.begin(), kBookkeeping.end());
    for (const ChartSpec& chart : runCharts()) all.merge(chart.series());
    return all;
  }();
  return known.contains(series) || series.starts_with("device/");
}

// Empty where the name says nothing of it.
std::string quantityOf(std::string_view series) {
  constexpr std::string_view kBetween = "_-./ ";
  const std::string_view first = series.substr(0, series.find_first_of(kBetween));
  const auto before = series.find_last_of(kBetween);
  const std::string_view last = before == std::string_view::npos ? series : series.substr(before + 1);
  for (const std::string_view word : {first, last})
    if (std::find(kQuantities.begin(), kQuantities.end(), word) != kQuantities.end())
      return std::string(word);
  return {};
}

ChartSpec chartOf(const std::vector<std::string>& series) {
  const Unit unit = unitOf(series.front());
  ChartSpec chart{.name = "own:" + series.front(),
                  .title = {},
                  .unit = QString::fromUtf8(unit.name),
                  .lines = {},
                  .isOwn = true};
  QStringList titles;
  for (const std::string& name : series) {
    titles << QString::fromStdString(name);
    chart.lines.push_back({.series = name,
                           .label = titles.last(),
                           .colour = static_cast<int>(chart.lines.size()),
                           .factor = unit.factor,
                           .isSmoothed = true});
  }
  chart.title = titles.join(QStringLiteral(", "));
  return chart;
}

}  // namespace

std::vector<ChartSpec> ownCharts(const std::vector<std::string>& recorded) {
  std::map<std::string, std::size_t> places;  // of the last chart of a quantity
  std::vector<std::vector<std::string>> charts;
  for (const std::string& series : recorded) {
    if (isKnown(series)) continue;
    const std::string quantity = quantityOf(series);
    const auto place = places.find(quantity);
    if (!quantity.empty() && place != places.end() && charts[place->second].size() < kMostLines) {
      charts[place->second].push_back(series);
      continue;
    }
    places[quantity] = charts.size();
    charts.push_back({series});
  }
  std::vector<ChartSpec> specs;
  for (const auto& series : charts) specs.push_back(chartOf(series));
  return specs;
}

}  // namespace batchscope::common
