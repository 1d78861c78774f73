// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/charts_json.h"

#include <initializer_list>
#include <utility>

#include "batchscope/common/charts.h"

namespace batchscope::common {
namespace {

using protocol::Json;

void addTrue(Json& json, std::initializer_list<std::pair<const char*, bool>> flags) {
  for (const auto& [name, isTrue] : flags)
    if (isTrue) json[name] = true;
}

Json lineJson(const LineSpec& line, const ChartSpec& chart) {
  Json json{{"series", line.series},
            {"label", line.label.toStdString()},
            {"colour", line.colour},
            {"factor", line.factor}};
  addTrue(json, {{"isMain", line.series == chart.subject},
                 {"isSmoothed", line.isSmoothed},
                 {"isStepped", line.isStepped},
                 {"isSparse", line.isSparse},
                 {"isRight", line.isRight},
                 {"isDashed", line.isDashed},
                 {"isBound", line.isBound},
                 {"isFromLowest", line.isFromLowest},
                 {"isOff", line.isOff}});
  if (!line.low.empty()) json["band"] = {line.low, line.high};
  return json;
}

}  // namespace

Json chartsJson(const std::vector<std::string>& recorded) {
  std::vector<ChartSpec> charts = chartsOf(recorded);
  for (ChartSpec& chart : deviceCharts(recorded)) charts.push_back(std::move(chart));
  Json list = Json::array();
  for (const ChartSpec& chart : charts) {
    Json json{{"name", chart.name},
              {"title", chart.title.toStdString()},
              {"unit", chart.unit.toStdString()},
              {"isUsual", chart.showing != Showing::Chosen}};
    if (chart.base != 0) json["base"] = chart.base;
    if (chart.bound) json["bound"] = *chart.bound;
    if (chart.rightTop) json["rightTop"] = *chart.rightTop;
    addTrue(json, {{"isRobust", chart.isRobust},
                   {"isLogByDefault", chart.isLogByDefault},
                   {"isLogLog", chart.isLogLog}});
    Json lines = Json::array();
    for (const LineSpec& line : chart.lines) lines.push_back(lineJson(line, chart));
    json["lines"] = std::move(lines);
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace batchscope::common
