// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/scene_builder.h"

#include <algorithm>
#include <cmath>

#include "batchscope/common/ticks.h"
#include "batchscope/protocol/series.h"

namespace batchscope::desktop {
namespace {

// A stretch of steps of one generation that is in view, either kept or lost.
struct Stretch {
  int generation;
  int replicas;
  bool isLost;
  std::int64_t from, to;
  common::StepMap map;
};

std::vector<Stretch> stretchesInView(const SeriesModel& model, const SceneOptions& options) {
  std::vector<Stretch> result;
  if (options.range.empty()) return result;
  for (const GenerationSpan& span : model.generations()) {
    if (span.last == 0) continue;
    const common::StepMap map = model.map(options.axis, span.number);
    const double low = map.stepAt(options.range.low), high = map.stepAt(options.range.high);
    if (std::isnan(low) || std::isnan(high)) continue;
    // One step more on either side, so that lines leave the plot at its edges.
    const std::int64_t from = std::max(span.first, static_cast<std::int64_t>(std::floor(low)) - 1);
    const std::int64_t to = std::min(span.last, static_cast<std::int64_t>(std::ceil(high)) + 1);
    const std::int64_t lost = span.lostFrom;
    if (from <= std::min(to, lost - 1))
      result.push_back({span.number, span.replicas, false, from, std::min(to, lost - 1), map});
    if (to >= lost) result.push_back({span.number, span.replicas, true, std::max(from, lost), to, map});
  }
  return result;
}

// The samples of a stretch, fine enough for every pixel column. A logarithmic axis spreads its first steps
// wide, so each doubling of x is asked for with the columns it has.
class StretchReader {
 public:
  StretchReader(SeriesModel& model, const Projection& projection) : model_(model), projection_(projection) {}

  // Valid until the next call.
  std::span<const Bucket> read(const std::string& series, const Stretch& s) {
    const auto columnsOf = [this](double x0, double x1) {
      return std::max(1, static_cast<int>(std::ceil(projection_.px(x1) - projection_.px(x0))));
    };
    if (!projection_.logX)
      return model_.view(series, s.generation, s.from, s.to, columnsOf(projection_.x0, projection_.x1));
    buckets_.clear();
    std::int64_t from = s.from;
    for (double x = projection_.x0; from <= s.to && x < projection_.x1; x *= 2) {
      const double end = s.map.stepAt(2 * x);
      const std::int64_t to =
          2 * x >= projection_.x1 ? s.to : std::min(s.to, static_cast<std::int64_t>(std::floor(end)));
      if (to < from) continue;
      for (const Bucket& bucket : model_.view(series, s.generation, from, to, columnsOf(x, 2 * x))) {
        // A bucket across the border comes twice.
        if (buckets_.empty() || bucket.first_step > buckets_.back().last_step) buckets_.push_back(bucket);
      }
      from = to + 1;
    }
    return buckets_;
  }

 private:
  SeriesModel& model_;
  const Projection& projection_;
  std::vector<Bucket> buckets_;
};

// One replica without accumulation has no second gradient to compare with: its gain comes from differences
// between steps and is to be trusted less. Splits a stretch where that changes; the parts share a step.
std::vector<std::pair<Stretch, bool>> byReliability(StretchReader& reader, const Stretch& whole) {
  if (whole.replicas != 1) return {{whole, false}};
  std::vector<std::pair<Stretch, bool>> parts;
  for (const Bucket& bucket : reader.read(protocol::series::kAccumulation, whole)) {
    const bool isUnreliable = !(bucket.max > 0);
    if (!parts.empty() && parts.back().second == isUnreliable) continue;
    Stretch part = whole;
    if (!parts.empty()) parts.back().first.to = part.from = std::max(bucket.first_step, whole.from);
    parts.emplace_back(part, isUnreliable);
  }
  if (parts.empty()) parts.emplace_back(whole, true);
  return parts;
}

// A stretch of one line, by pixel columns.
struct Part {
  Stretch stretch;
  bool isUnreliable;
  std::vector<Column> ink, ghost;
};

std::vector<Part> partsOf(StretchReader& reader, const LineSpec& line, const Stretch& stretch,
                          const ColumnSteps& steps, bool isAlone) {
  const auto stretches = line.isEstimate && isAlone ? byReliability(reader, stretch)
                                                    : std::vector<std::pair<Stretch, bool>>{{stretch, false}};
  std::vector<Part> parts;
  for (const auto& [s, isUnreliable] : stretches) {
    Part part{s, isUnreliable, columnsOf(reader.read(line.series, s), steps, line.factor), {}};
    if (isAlone && !line.ghost.empty())
      part.ghost = columnsOf(reader.read(line.ghost, s), steps, line.factor);
    parts.push_back(std::move(part));
  }
  return parts;
}

// The values of one axis, for its range. A robust range leaves out single peaks: it holds the middle 90 % of
// the extremes in view, and every median of a few neighbouring columns, so that a short phase is in it as
// well as a long one.
class RangeFinder {
 public:
  void add(std::span<const Column> columns) {
    std::vector<double> group;
    for (const Column& column : columns) {
      if (std::isnan(column.mean)) continue;
      values_.push_back(column.low);
      if (column.high != column.low) values_.push_back(column.high);
      group.push_back(column.mean);
      if (group.size() == kGroup) {
        medians_.push_back(quantile(group, 0.5));
        group.clear();
      }
    }
  }
  void add(double value) { medians_.push_back(value); }
  bool isEmpty() const { return values_.empty(); }

  // Whether some value lies outside.
  bool isBeyond(double low, double high) const {
    return std::any_of(values_.begin(), values_.end(), [&](double v) { return v < low || v > high; });
  }

  std::pair<double, double> range(bool isRobust, bool isLog, bool isZoomed, double base = 0) {
    if (isLog) {
      for (std::vector<double>* list : {&values_, &medians_})
        std::erase_if(*list, [](double v) { return !(v > 0); });
    }
    if (values_.empty()) return isLog ? std::pair(1.0, 10.0) : std::pair(base, base + 1);
    // Few values have no outliers.
    isRobust = isRobust && values_.size() >= 50;
    double low = quantile(values_, isRobust ? 0.05 : 0), high = quantile(values_, isRobust ? 0.95 : 1);
    for (const double median : medians_) {
      low = std::min(low, median);
      high = std::max(high, median);
    }
    if (isLog) {
      low = std::exp2(std::floor(std::log2(low) + 1e-9));
      high = std::exp2(std::ceil(std::log2(high) - 1e-9));
      return high > low ? std::pair(low, high) : std::pair(low, 2 * low);
    }
    // Charts stand on zero, so that heights compare; zoomed in on detail they need not.
    const bool isDetail = isZoomed && low > base + 0.7 * (high - base);
    if (low >= 0 && !isDetail) low = base;
    if (!(high > low)) high = low + (low != 0 ? std::abs(low) * 0.1 : 1);
    const double step = common::roundInterval(low, high, 4);
    const double top = std::ceil((high + 0.02 * (high - low)) / step) * step;
    // A base that is no round number has its line a little above the edge.
    if (low == base && base != 0) return {base - 0.06 * (top - base), top};
    return {std::floor(low / step) * step, top};
  }

 private:
  static constexpr std::size_t kGroup = 7;

  static double quantile(std::vector<double>& values, double q) {
    const auto at = static_cast<std::size_t>(std::llround(q * static_cast<double>(values.size() - 1)));
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
    return values[at];
  }

  std::vector<double> values_, medians_;
};

std::vector<SceneBand> bandsOf(const SeriesModel& model, const SceneOptions& options, const Projection& x) {
  std::vector<SceneBand> bands;
  for (const GenerationSpan& span : model.generations()) {
    if (span.last == 0) continue;
    const common::StepMap map = model.map(options.axis, span.number);
    double left = x.px(map.at(static_cast<double>(span.first)));
    if (!std::isfinite(left)) left = x.plot.left();  // before what a logarithmic axis shows
    if (!bands.empty()) bands.back().right = left;
    // It reaches to the next restart, or to the newest sample.
    bands.push_back({left, x.px(map.at(static_cast<double>(span.last))), span.number, span.replicas,
                     bands.size() % 2 == 1, !bands.empty()});
  }
  if (!bands.empty()) {
    bands.front().left = std::min(bands.front().left, x.plot.left());
    bands.back().right = std::max(bands.back().right, bands.back().left);
  }
  std::erase_if(
      bands, [&](const SceneBand& band) { return band.right < x.plot.left() || band.left > x.plot.right(); });
  return bands;
}

SceneLine lineOf(const std::vector<Part>& parts, const LineSpec& line, const Projection& projection,
                 const SceneOptions& options) {
  const double smoothing = line.isSmoothed ? options.smoothing : 0;
  SceneLine drawn;
  for (const Part& part : parts) {
    ScenePiece piece{.generation = part.stretch.generation,
                     .isLost = part.stretch.isLost,
                     .isUnreliable = part.isUnreliable,
                     .ink = decimate(part.ink, projection, smoothing),
                     .ghost = {}};
    // Ghosts of several runs would hide their lines.
    const bool isAlone = options.runs.empty();
    if (isAlone && !line.ghost.empty()) {
      piece.ghost = decimate(part.ghost, projection, 0).raw;
    } else if (isAlone && smoothing > 0) {
      piece.ghost = piece.ink.raw;
    }
    drawn.pieces.push_back(std::move(piece));
  }
  return drawn;
}

}  // namespace

ChartScene buildScene(SeriesModel& model, const ChartSpec& spec, const QRectF& plot,
                      const SceneOptions& options) {
  ChartScene scene;
  scene.left.plot = scene.right.plot = plot;
  const double width = options.range.high - options.range.low;
  const double x0 = options.range.empty() ? 0 : options.range.low;
  const double x1 = options.range.empty() || !(width > 0) ? x0 + 1 : options.range.high;
  scene.left.x0 = scene.right.x0 = x0;
  scene.left.x1 = scene.right.x1 = x1;
  scene.left.logX = scene.right.logX = options.isLogX && x0 > 0;
  std::vector<SceneRun> runs = options.runs;
  if (runs.empty()) runs.push_back({&model, -1, {}});
  const auto isHidden = [&](std::size_t line) {
    return line < options.isHidden.size() && options.isHidden[line];
  };

  // By run and line.
  std::vector<std::vector<std::vector<Part>>> parts(runs.size(),
                                                    std::vector<std::vector<Part>>(spec.lines.size()));
  RangeFinder left, right;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    StretchReader reader(*runs[run].model, scene.left);
    for (const Stretch& stretch : stretchesInView(*runs[run].model, options)) {
      const ColumnSteps steps(stretch.map, scene.left);
      for (std::size_t i = 0; i < spec.lines.size(); ++i) {
        if (isHidden(i)) continue;
        for (Part& part : partsOf(reader, spec.lines[i], stretch, steps, options.runs.empty())) {
          (spec.lines[i].isRight ? right : left).add(part.ink);
          parts[run][i].push_back(std::move(part));
        }
      }
    }
  }
  scene.isEmpty = left.isEmpty() && right.isEmpty();
  if (spec.bound) left.add(*spec.bound);
  scene.left.log = options.isLog;
  std::tie(scene.left.y0, scene.left.y1) =
      left.range(spec.isRobust && !options.isWhole, options.isLog, options.isZoomed, spec.base);
  scene.isCut = spec.isRobust && left.isBeyond(scene.left.y0, scene.left.y1);
  // A fixed scale from 0 to 1 says more than a logarithmic one. Its end lies below the edge, where a line
  // along it is seen whole.
  std::tie(scene.right.y0, scene.right.y1) =
      spec.rightTop ? std::pair(0.0, 1.04 * *spec.rightTop) : right.range(false, false, false);
  if (!spec.rightTop) scene.right.y1 = std::max(scene.right.y1, 4.0);

  // The open run comes last, above the others.
  for (std::size_t run = runs.size(); run-- > 0;) {
    for (std::size_t i = 0; i < spec.lines.size(); ++i) {
      if (isHidden(i)) continue;
      SceneLine line =
          lineOf(parts[run][i], spec.lines[i], spec.lines[i].isRight ? scene.right : scene.left, options);
      line.spec = i;
      line.run = run;
      line.colour = runs[run].colour;
      // One line counts for the chart, the one with the most samples.
      std::int64_t samples = 0, points = 0;
      for (const ScenePiece& piece : line.pieces) {
        samples += piece.ink.samples;
        points += piece.ink.points;
      }
      if (samples > scene.samples) std::tie(scene.samples, scene.points) = std::pair(samples, points);
      scene.lines.push_back(std::move(line));
    }
  }
  if (options.bands != GroupBands::None) {
    std::vector<std::string> groups;
    for (const SceneRun& run : runs) groups.push_back(run.group);
    bundleGroups(scene, groups, options.bands);
  }
  scene.bands = bandsOf(model, options, scene.left);
  return scene;
}

}  // namespace batchscope::desktop
