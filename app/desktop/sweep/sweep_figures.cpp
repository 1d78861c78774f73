// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep/sweep_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "batchscope/common/number_text.h"
#include "batchscope/common/sweep_text.h"
#include "batchscope/common/translate.h"

namespace batchscope::desktop {
namespace {

using storage::SweepLeg;
using sweep::SweepView;

constexpr std::size_t kMostCurves = 120;  // more cannot be told apart
constexpr double kAnywhere = std::numeric_limits<double>::quiet_NaN();
constexpr int kMostNames = 6;  // of rungs
constexpr double kDot = 7, kBestDot = 10;
constexpr Ink kBest{Ink::Series, 1};

QString metricOf(const SweepView& view) { return QString::fromStdString(view.file.metric); }

bool hasValue(const SweepLeg& leg) {
  return leg.outcome == SweepLeg::Outcome::value && std::isfinite(leg.value);
}

FigureAxis figureAxis(const TrialAxis& axis) {
  FigureAxis made{.title = axis.title()};
  if (axis.cells > 0) {
    made.low = axis.low;
    made.high = axis.high;
    made.ticks = axis.ticks;
  } else if (axis.isTime) {
    made.kind = FigureAxis::Kind::Time;
  } else if (axis.isLogarithmic) {
    made.kind = FigureAxis::Kind::Decades;
  }
  return made;
}

// The values of each trial from rung to rung. One that took over another one's checkpoint has a gap there,
// and `lineage` leads to it from where that one was.
struct Curves {
  std::vector<std::vector<FigurePoint>> trials;
  FigureSeries lineage{.ink = {Ink::Dim}, .mark = FigureSeries::Mark::Dotted, .size = 1};
  int last = -1;  // rung that any of them came to
};

Curves curvesOf(const SweepView& view) {
  const FigurePoint gap{kAnywhere, kAnywhere};
  Curves curves{.trials = std::vector<std::vector<FigurePoint>>(view.trials.size())};
  std::map<std::pair<std::size_t, int>, FigurePoint> known;  // by trial and rung
  for (const SweepLeg& leg : view.rows) {
    if (!hasValue(leg)) continue;
    curves.last = std::max(curves.last, leg.rung);
    const FigurePoint point{*sweep::iterations_at(view.file.stop, leg.rung),
                            common::metricFactor(view) * leg.value,
                            tr("Trial %1 at rung %2\n%3 %4")
                                .arg(leg.trial)
                                .arg(leg.rung)
                                .arg(metricOf(view), common::metricText(view, leg.value))};
    const auto origin = leg.origin ? known.find({*leg.origin, leg.rung - 1}) : known.end();
    if (origin != known.end()) {
      curves.trials[leg.trial].push_back(gap);
      curves.lineage.points.insert(curves.lineage.points.end(),
                                   {{origin->second.x, origin->second.y}, {point.x, point.y}, gap});
    }
    curves.trials[leg.trial].push_back(point);
    known[{leg.trial, leg.rung}] = point;
  }
  return curves;
}

}  // namespace

FigureData learningCurves(const SweepView& view, const std::vector<double>& ranks) {
  FigureData data;
  const sweep::StopRule& rule = view.file.stop;
  const bool hasRungs = rule.kind != sweep::StopRule::Kind::none;
  data.missing = hasRungs ? tr("No trial has reached a rung yet.")
                          : tr("This sweep has no rungs: each trial has one value, at its end.");
  if (!hasRungs) return data;
  auto [curves, lineage, last] = curvesOf(view);
  if (last < 0) return data;

  std::vector<std::size_t> order;  // the best last, on top
  for (std::size_t trial = 0; trial < curves.size(); ++trial)
    if (!curves[trial].empty()) order.push_back(trial);
  std::ranges::stable_sort(order, {}, [&](std::size_t trial) {
    return std::pair(curves[trial].size(), std::isnan(ranks[trial]) ? -1 : ranks[trial]);
  });
  const std::size_t firstLine = order.size() > kMostCurves ? order.size() - kMostCurves : 0;
  FigureSeries dots{.ink = {Ink::Accent}, .mark = FigureSeries::Mark::Dots, .size = 4};
  for (std::size_t place = 0; place < order.size(); ++place) {
    const std::size_t trial = order[place];
    const auto& points = curves[trial];
    const double rank = std::isnan(ranks[trial]) ? 0 : ranks[trial];
    const auto state = view.trials[trial].standing.state;
    const bool goesOn = state == sweep::Standing::State::running || state == sweep::Standing::State::finished;
    if (points.size() == 1 || place < firstLine) {
      dots.points.insert(dots.points.end(), points.begin(), points.end());
      dots.strengths.insert(dots.strengths.end(), points.size(), goesOn ? rank : 0.5 * rank);
      continue;
    }
    const bool isBest = view.best == trial;
    data.series.push_back({.ink = isBest ? kBest : Ink{Ink::Accent, 0, goesOn ? 0.35 + 0.5 * rank : 0.3},
                           .mark = FigureSeries::Mark::DottedLine,
                           .points = points});
  }
  if (!dots.points.empty()) data.series.insert(data.series.begin(), std::move(dots));

  if (!lineage.points.empty()) data.series.insert(data.series.begin(), std::move(lineage));

  const bool isEven = rule.kind == sweep::StopRule::Kind::pbt;  // else each is eta times the one before
  data.bottom = {
      .kind = isEven ? FigureAxis::Kind::Linear : FigureAxis::Kind::Logarithmic,
      .title = rule.unit == sweep::StopRule::Unit::steps ? tr("steps") : tr("scale-invariant iterations")};
  for (int rung = 0; rung <= last; ++rung) {
    const double at = *sweep::iterations_at(rule, rung);
    if (rung % (last / kMostNames + 1) == 0) data.bottom.ticks.push_back({at, common::formatNumber(at)});
    data.notes.push_back({at, kAnywhere, {}, {Ink::Faint}});
  }
  data.description = tr("%1 trials on %2 rungs").arg(order.size()).arg(last + 1);
  return data;
}

FigureData bestSoFar(const SweepView& view, Budget budget) {
  FigureData data;
  data.missing = tr("No trial has a value yet.");
  std::vector<const SweepLeg*> ended;
  for (const SweepLeg& leg : view.rows)
    if (leg.outcome != SweepLeg::Outcome::under_way) ended.push_back(&leg);
  std::ranges::stable_sort(ended, {}, &SweepLeg::ended);

  FigureSeries line{.ink = kBest, .mark = FigureSeries::Mark::Line, .size = 2};
  FigureSeries steps{.ink = kBest, .mark = FigureSeries::Mark::Dots, .size = 6};
  const double factor = common::metricFactor(view);
  double hours = 0, x = 0, best = 0;
  for (const SweepLeg* leg : ended) {
    hours += leg->device_hours;
    x = budget == Budget::WallTime ? std::max(x, leg->ended - view.sweep.created) : 3600 * hours;
    if (!hasValue(*leg)) continue;
    const bool isFirst = line.points.empty();
    const bool isBetter =
        isFirst || sweep::cost_of(view.file.goal, leg->value) < sweep::cost_of(view.file.goal, best);
    if (!isBetter) continue;
    if (!isFirst) line.points.push_back({x, factor * best});
    best = leg->value;
    line.points.push_back({x, factor * best});
    steps.points.push_back(
        {x, factor * best,
         tr("Trial %1\n%2 %3 after %4")
             .arg(leg->trial)
             .arg(metricOf(view), common::metricText(view, best), common::formatDuration(x))});
  }
  if (line.points.empty()) return data;
  line.points.push_back({x, factor * best});
  data.description =
      tr("%1 %2 after %3").arg(metricOf(view), common::metricText(view, best), common::formatDuration(x));
  data.series = {std::move(line), std::move(steps)};
  data.bottom = {.kind = FigureAxis::Kind::Time,
                 .title = budget == Budget::WallTime ? tr("time since the sweep began") : tr("device time"),
                 .low = 0};
  data.left = {.title = metricAxis(view).title()};
  return data;
}

FigureData scatter(const SweepView& view, const TrialAxis& x, const TrialAxis& y,
                   const std::vector<double>& ranks) {
  FigureData data;
  data.missing = tr("No trial has both values yet.");
  FigureSeries dots{.ink = {Ink::Accent}, .mark = FigureSeries::Mark::Dots, .size = kDot};
  FigureSeries best{.ink = kBest, .mark = FigureSeries::Mark::Dots, .size = kBestDot};
  for (std::size_t trial = 0; trial < view.trials.size(); ++trial) {
    if (std::isnan(x.values[trial]) || std::isnan(y.values[trial])) continue;
    const FigurePoint point{x.values[trial], y.values[trial], common::trialText(view, trial)};
    if (view.best == trial) {
      best.points.push_back(point);
      continue;
    }
    dots.points.push_back(point);
    dots.strengths.push_back(std::isnan(ranks[trial]) ? 0 : ranks[trial]);
  }
  for (FigureSeries* series : {&dots, &best})
    if (!series->points.empty()) data.series.push_back(std::move(*series));
  if (data.series.empty()) return data;
  data.bottom = figureAxis(x);
  data.left = figureAxis(y);
  data.description = tr("%1 over %2").arg(y.name, x.name);
  return data;
}

FigureData importanceBars(const SweepView& view, const std::vector<double>& importance) {
  FigureData data;
  data.missing = tr("Not enough trials have a value yet.");
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < importance.size(); ++i)
    if (view.file.parameters[i].count() != 1) order.push_back(i);
  const bool isKnown = std::ranges::any_of(importance, [](double share) { return share > 0; });
  if (!isKnown) return data;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return importance[i]; });  // the largest on top
  FigurePart part{.name = {}, .ink = {Ink::Accent, 0, 0.75}};
  for (const std::size_t i : order) {
    const QString name = QString::fromStdString(view.file.parameters[i].name);
    data.left.ticks.push_back({static_cast<double>(part.values.size()), name});
    part.values.push_back(100 * importance[i]);
    data.barTexts.push_back(tr("%1: %2 of the effect that all parameters explain")
                                .arg(name, common::formatPercent(importance[i])));
  }
  data.bottom = {.title = tr("%"), .low = 0};
  data.description = tr("%1 matters most").arg(data.left.ticks.back().label);
  data.bars.push_back(std::move(part));
  return data;
}

}  // namespace batchscope::desktop
