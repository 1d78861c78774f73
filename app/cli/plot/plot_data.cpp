// SPDX-License-Identifier: Apache-2.0
#include "plot/plot_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "batchscope/common/run_clock.h"
#include "batchscope/common/run_control.h"
#include "batchscope/common/series_unit.h"
#include "batchscope/common/step_map.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/series.h"
#include "batchscope/protocol/suggestion.h"
#include "batchscope/run/number_text.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

namespace series = protocol::series;

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr int kMostDecimals = 6;  // of the numbers on an axis
constexpr double kMargin = 0.04;  // of the range of y, above and below

// The series that an axis counts, and the label below it; by PlotAxis.
struct AxisText {
  const char* series;
  const char* label;
};

constexpr std::array<AxisText, 4> kAxes{{{"", QT_TR_NOOP("step")},
                                         {series::kTime, QT_TR_NOOP("s since the start")},
                                         {series::kProgress, QT_TR_NOOP("scale-invariant iterations")},
                                         {series::kEpoch, QT_TR_NOOP("epoch")}}};

const AxisText& textOf(PlotAxis axis) { return kAxes.at(static_cast<std::size_t>(axis)); }

// One run's part of the plot.
class RunLoader {
 public:
  RunLoader(const storage::Run& run, double origin, const PlotRequest& request)
      : origin_(origin), request_(request), reader_(protocol::run_paths(run.id).samples) {}

  std::vector<std::string> names() {
    std::vector<std::string> list;
    for (const storage::SeriesInfo& info : reader_.series()) list.push_back(info.name);
    return list;
  }

  PlotCurve load(const std::string& name, const std::string& label, double factor) {
    PlotCurve curve{label, name, {}, 0, kNothing};
    for (const int generation : reader_.generations(name)) {
      const std::vector<storage::Bucket> buckets =
          reader_.summarize(name, generation, request_.from, request_.to, request_.columns);
      if (buckets.empty()) continue;
      const AxisBuckets knots = axisBuckets(generation);
      const common::StepMap map = stepMap(knots);
      PlotStretch stretch{generation, {}};
      for (const storage::Bucket& bucket : buckets) {
        curve.samples += bucket.count;
        const double step =
            (static_cast<double>(bucket.first_step) + static_cast<double>(bucket.last_step)) / 2;
        if (const double x = map.at(step); !std::isnan(x))
          stretch.points.push_back({x, bucket.min * factor, bucket.max * factor});
      }
      if (const auto newest =
              reader_.read(name, generation, buckets.back().last_step, buckets.back().last_step);
          !newest.empty())
        curve.last = newest.back().value;
      curve.stretches.push_back(std::move(stretch));
    }
    return curve;
  }

  // Where the generations after the first begin.
  std::vector<PlotRestart> restarts(const std::vector<storage::Generation>& generations) {
    std::vector<PlotRestart> list;
    for (const storage::Generation& generation : generations) {
      if (generation.number == 0 || generation.first_step <= 0) continue;
      const AxisBuckets knots = axisBuckets(generation.number);
      const double x = stepMap(knots).at(static_cast<double>(generation.first_step));
      if (!std::isnan(x)) list.push_back({x, generation.number, generation.replicas});
    }
    return list;
  }

 private:
  using AxisBuckets = std::vector<storage::Bucket>;

  // Returns the buckets of the series that the axis counts; none where that is steps.
  AxisBuckets axisBuckets(int generation) {
    if (request_.axis == PlotAxis::step) return {};
    AxisBuckets buckets = reader_.summarize(textOf(request_.axis).series, generation, request_.from,
                                            request_.to, request_.columns);
    std::erase_if(buckets, [](const storage::Bucket& bucket) { return std::isnan(bucket.min); });
    return buckets;
  }

  common::StepMap stepMap(const AxisBuckets& buckets) const {
    if (request_.axis == PlotAxis::step) return {};
    return {buckets, request_.axis == PlotAxis::time ? origin_ : 0};
  }

  double origin_;  // of the run's clock
  const PlotRequest& request_;
  storage::SampleReader reader_;
};

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool isEmpty() const { return low > high; }
};

// Fits the ranges, also where values of a logarithmic axis are none of its own.
void fitRanges(Plot& plot) {
  Range x, y;
  for (const PlotCurve& curve : plot.curves)
    for (const PlotStretch& stretch : curve.stretches)
      for (const PlotPoint& point : stretch.points) {
        x.add(point.x);
        for (const double value : {point.low, point.high})
          if (!plot.logarithmic || value > 0) y.add(value);
      }
  if (x.isEmpty() || y.isEmpty())
    throw Error(ErrorKind::not_found,
                plot.logarithmic ? say("there is nothing to draw: a logarithmic axis shows values > 0 only")
                                 : say("there is nothing to draw: no finite value was recorded there"));
  plot.x0 = x.low;
  plot.x1 = x.high > x.low ? x.high : x.low + 1;
  if (plot.logarithmic) {
    const double margin = std::pow(std::max(y.high / y.low, 1.1), kMargin);
    plot.y0 = y.low / margin;
    plot.y1 = y.high * margin;
  } else {
    const double margin = y.high > y.low ? (y.high - y.low) * kMargin : std::max(std::abs(y.low) * 0.1, 1e-9);
    plot.y0 = y.low - margin;
    plot.y1 = y.high + margin;
  }
}

// "2.5M", "10G": millions and more by their letters, as is usual for a number as large as `scale`.
std::string largeText(double value, double scale) {
  static constexpr std::array<std::pair<double, char>, 3> kUnits{{{1e12, 'T'}, {1e9, 'G'}, {1e6, 'M'}}};
  for (const auto& [unit, letter] : kUnits)
    if (value != 0 && scale >= unit && scale < 1e15) return fmt::format("{:.4g}{}", value / unit, letter);
  return run::number_text(value);
}

}  // namespace

std::vector<std::vector<PlotPlace>> Plot::linesOf(const PlotStretch& stretch) const {
  std::vector<std::vector<PlotPlace>> lines;
  bool goesOn = false;
  double last = 0;
  for (const PlotPoint& point : stretch.points) {
    const double top = height(point.high);
    // Where the lowest has no place on a logarithmic axis the highest may have one.
    const double bottom = std::isnan(height(point.low)) ? top : height(point.low);
    if (std::isnan(bottom)) {
      goesOn = false;
      continue;
    }
    if (!std::exchange(goesOn, true)) lines.emplace_back();
    const bool isUpwards = std::abs(bottom - last) <= std::abs(top - last);
    last = isUpwards ? top : bottom;
    lines.back().push_back({across(point.x), isUpwards ? bottom : top});
    lines.back().push_back({across(point.x), last});
  }
  return lines;
}

std::vector<double> Plot::valueTicks(int most) const {
  return (logarithmic ? common::logTicks : common::roundTicks)(y0, y1, most);
}

Plot loadPlot(storage::Catalogue& catalogue, const PlotRequest& request) {
  Plot plot;
  plot.logarithmic = request.logarithmic;
  plot.xLabel = textOf(request.axis).label;
  const bool isShared =
      std::all_of(request.series.begin(), request.series.end(), [&](const std::string& name) {
        return common::unitOf(name).name == std::string(common::unitOf(request.series.front()).name);
      });
  const common::Unit unit = isShared ? common::unitOf(request.series.front()) : common::Unit();
  plot.unit = unit.name;
  const bool several = request.runs.size() > 1;
  std::set<std::string> known, drawn;
  std::vector<std::string> withoutCurve;  // runs that have none of the series
  for (const storage::Run& run : request.runs) {
    const std::vector<storage::Generation> generations = catalogue.generations(run.id);
    RunLoader loader(run, common::clockOrigin(run, generations), request);
    const std::vector<std::string> names = loader.names();
    known.insert(names.begin(), names.end());
    const std::size_t before = plot.curves.size();
    for (const std::string& name : request.series) {
      if (std::find(names.begin(), names.end(), name) == names.end()) continue;
      const std::string label = several
                                    ? fmt::format("{} of {} {}", printable(name), printable(run.name), run.id)
                                    : printable(name);
      plot.curves.push_back(loader.load(name, label, unit.factor));
      drawn.insert(name);
    }
    if (plot.curves.size() == before) withoutCurve.push_back(common::title(run));
    if (several) continue;
    plot.restarts = loader.restarts(generations);
    plot.firstReplicas = generations.empty() ? run.replicas : generations.front().replicas;
  }
  for (const std::string& name : request.series)
    if (!drawn.contains(name))
      throw Error(ErrorKind::not_found,
                  say("there is no series \"{}\" here{}; batchscope show lists them", printable(name),
                      protocol::did_you_mean(name, {known.begin(), known.end()})));
  plot.title = several ? plural(request.runs.size(), "run") +
                             (withoutCurve.empty()
                                  ? ""
                                  : say("; nothing of {}", fmt::format("{}", fmt::join(withoutCurve, ", "))))
                       : common::title(request.runs.front());
  fitRanges(plot);
  return plot;
}

std::vector<std::string> tickLabels(const std::vector<double>& ticks) {
  double greatest = 0;
  bool isEven = ticks.size() > 1;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    greatest = std::max(greatest, std::abs(ticks[i]));
    isEven = isEven && (i < 2 || std::abs(ticks[i] - 2 * ticks[i - 1] + ticks[i - 2]) < 1e-9 * greatest);
  }
  const int decimals = isEven ? common::decimalsOf(ticks[1] - ticks[0], kMostDecimals) : 0;
  const bool isPlain = isEven && greatest < 1e6 && decimals < kMostDecimals;
  std::vector<std::string> labels;
  for (const double tick : ticks)
    labels.push_back(isPlain ? fmt::format("{:.{}f}", tick, decimals)
                             : largeText(tick, isEven ? greatest : std::abs(tick)));
  return labels;
}

}  // namespace batchscope::cli
