// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "batchscope/common/charts.h"
#include "batchscope/common/translate.h"
#include "batchscope/protocol/device_series.h"

namespace batchscope::common {
namespace {

namespace names = protocol::series;

constexpr int kColours = 4;  // that a chart tells apart; further lines are dashed

// The ranks of which `device/<what>/<rank>` is recorded, ascending.
std::vector<int> ranksOf(const char* what, const std::vector<std::string>& recorded) {
  const std::string first = names::device_series(what, 0), prefix = first.substr(0, first.size() - 1);
  std::vector<int> ranks;
  for (const std::string& series : recorded) {
    int rank = 0;
    if (series.starts_with(prefix) &&
        std::from_chars(series.data() + prefix.size(), series.data() + series.size(), rank).ec == std::errc())
      ranks.push_back(rank);
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

}  // namespace

std::vector<ChartSpec> deviceCharts(const std::vector<std::string>& recorded) {
  struct Device {
    const char* what;
    QString title, unit;
    double factor;
    Showing showing;
  };
  const std::vector<Device> devices{
      {names::kCpu, tr("Cores in use"), tr("by replica"), 1, Showing::Recorded},
      {names::kMemory, tr("Memory"), tr("MB"), 1e-6, Showing::Recorded},
      {names::kGpuUtilization, tr("GPU use"), tr("%"), 100, Showing::Recorded},
      {names::kGpuMemory, tr("GPU memory"), tr("GB"), 1e-9, Showing::Chosen},
      {names::kGpuPower, tr("GPU power"), tr("W"), 1, Showing::Recorded},
      {names::kGpuTemperature, tr("GPU temperature"), tr("°C"), 1, Showing::Recorded}};
  std::vector<ChartSpec> charts;
  for (const Device& device : devices) {
    const std::vector<int> ranks = ranksOf(device.what, recorded);
    if (ranks.empty()) continue;
    ChartSpec chart{.name = std::string("device-") + device.what,
                    .title = device.title,
                    .unit = device.unit,
                    .lines = {},
                    .showing = device.showing};
    for (const int rank : ranks) {
      const int place = static_cast<int>(chart.lines.size());
      chart.lines.push_back({.series = names::device_series(device.what, rank),
                             .label = QString::number(rank),
                             .colour = place % kColours,
                             .factor = device.factor,
                             .isDashed = place >= kColours});
    }
    charts.push_back(std::move(chart));
  }
  return charts;
}

}  // namespace batchscope::common
