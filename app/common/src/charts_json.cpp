// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/charts_json.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "batchscope/common/charts.h"
#include "batchscope/common/derived_series.h"

namespace batchscope::common {
namespace {

using protocol::Json;

void addTrue(Json& json, std::initializer_list<std::pair<const char*, bool>> flags) {
  for (const auto& [name, isTrue] : flags)
    if (isTrue) json[name] = true;
}

Json lineJson(const LineSpec& line, const ChartSpec& chart) {
  const auto derived = derivedSeries(line.series);
  Json json{{"series", derived ? derived->inputs[0] : line.series},
            {"label", line.label.toStdString()},
            {"colour", line.colour},
            {"factor", line.factor}};
  if (derived) json[derived->operation] = derived->inputs[1];
  addTrue(json, {{"isMain", line.series == chart.subject},
                 {"isSmoothed", line.isSmoothed},
                 {"isStepped", line.isStepped},
                 {"isSparse", line.isSparse},
                 {"isRight", line.isRight},
                 {"isDashed", line.isDashed},
                 {"isBound", line.isBound},
                 {"isFromLowest", line.isFromLowest},
                 {"isOff", line.isOff}});
  return json;
}

bool isSimple(const LineSpec& line) {
  const auto derived = derivedSeries(line.series);
  return !derived || !derived->operation.empty();
}

}  // namespace

Json chartsJson(const std::vector<std::string>& recorded) {
  std::vector<ChartSpec> charts = chartsOf(recorded);
  for (ChartSpec& chart : deviceCharts(recorded)) charts.push_back(std::move(chart));
  Json list = Json::array();
  for (const ChartSpec& chart : charts) {
    if (!std::ranges::all_of(chart.lines, isSimple)) continue;
    Json json{{"name", chart.name},
              {"title", chart.title.toStdString()},
              {"unit", chart.unit.toStdString()},
              {"isUsual", chart.showing != Showing::Chosen}};
    if (chart.base != 0) json["base"] = chart.base;
    if (chart.bound) json["bound"] = *chart.bound;
    if (chart.rightTop) json["rightTop"] = *chart.rightTop;
    addTrue(json, {{"isRobust", chart.isRobust}, {"isLogByDefault", chart.isLogByDefault || chart.isLogLog}});
    Json lines = Json::array();
    for (const LineSpec& line : chart.lines) lines.push_back(lineJson(line, chart));
    json["lines"] = std::move(lines);
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace batchscope::common
