// SPDX-License-Identifier: GPL-3.0-or-later
#include "scene/scene_builder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "batchscope/protocol/series.h"
#include "scene/noise_band.h"
#include "scene/value_range.h"

namespace batchscope::desktop {
namespace {

constexpr std::int64_t kOpen = std::numeric_limits<std::int64_t>::max() - 1;  // no end is known
// Steps a pixel column from which on noise is a band.
constexpr double kNoise = 4;
constexpr double kFewest = 12;  // steps of a window of noise, for its quantiles to say something
constexpr double kWindow = 3;   // pixels of it, at the least

// A stretch of steps of one generation that is in view, either kept or lost.
struct Stretch {
  int generation;
  int replicas;
  bool isLost;
  std::int64_t first, last;  // all of it, also what is out of view or yet to come
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
      result.push_back(
          {span.number, span.replicas, false, span.first, lost - 1, from, std::min(to, lost - 1), map});
    if (to >= lost)
      result.push_back({span.number, span.replicas, true, lost, kOpen, std::max(from, lost), to, map});
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
    if (!parts.empty()) {
      part.first = part.from = std::max(bucket.first_step, whole.from);
      parts.back().first.to = parts.back().first.last = part.from;
    }
    parts.emplace_back(part, isUnreliable);
  }
  if (parts.empty()) parts.emplace_back(whole, true);
  return parts;
}

// A stretch of one line: by pixel columns, or where it is noise by windows.
struct Part {
  Stretch stretch;
  bool isUnreliable = false;
  bool isNoise = false;
  std::vector<Column> columns = {};
  std::vector<NoiseWindow> windows = {};
};

// Reads the parts of a chart's lines in one stretch.
class PartReader {
 public:
  PartReader(SeriesModel& model, const Projection& projection, const SceneOptions& options, bool isNoise)
      : model_(model),
        reader_(model, projection),
        projection_(projection),
        options_(options),
        isNoise_(isNoise) {}

  void enter(const Stretch& stretch) {
    stretch_ = &stretch;
    steps_.reset();
  }

  std::vector<Part> read(const common::LineSpec& line) {
    const bool splits = line.isEstimate && options_.runs.empty();
    const auto stretches = splits ? byReliability(reader_, *stretch_)
                                  : std::vector<std::pair<Stretch, bool>>{{*stretch_, false}};
    std::vector<Part> parts;
    for (const auto& [stretch, isUnreliable] : stretches) {
      Part part{.stretch = stretch, .isUnreliable = isUnreliable, .isNoise = isNoise_ && line.isSmoothed};
      if (part.isNoise) {
        part.windows = windows(line, stretch);
      } else {
        if (!steps_) steps_.emplace(stretch.map, projection_);
        part.columns = columnsOf(reader_.read(line.series, stretch), *steps_, line.factor);
        if (!line.isSparse) markHoles(part.columns, projection_.logX);
      }
      parts.push_back(std::move(part));
    }
    return parts;
  }

 private:
  std::vector<NoiseWindow> windows(const common::LineSpec& line, const Stretch& s) {
    const double wide = projection_.px(s.map.at(static_cast<double>(s.to))) -
                        projection_.px(s.map.at(static_cast<double>(s.from)));
    const double steps = static_cast<double>(s.to - s.from + 1);
    const std::int64_t length = windowLength(std::max(kFewest, steps * kWindow / std::max(wide, kWindow)));
    const auto seen = model_.noise({line.series, s.generation, s.first, s.last, s.from, s.to}, length);
    return {seen.begin(), seen.end()};
  }

  SeriesModel& model_;
  StretchReader reader_;
  const Projection& projection_;
  const SceneOptions& options_;
  bool isNoise_;
  const Stretch* stretch_ = nullptr;
  std::optional<ColumnSteps> steps_;
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

// `places`: of a run's windows, by generation.
SceneLine lineOf(const std::vector<Part>& parts, const common::LineSpec& line, const Projection& projection,
                 const SceneOptions& options, std::map<int, WindowPlaces>& places) {
  const double smoothing = line.isSmoothed ? options.smoothing : 0;
  // Ghosts and bands of several runs would hide their lines.
  const bool isAlone = options.runs.empty();
  SceneLine drawn;
  for (const Part& part : parts) {
    ScenePiece piece{.generation = part.stretch.generation,
                     .isLost = part.stretch.isLost,
                     .isUnreliable = part.isUnreliable,
                     .ink = {},
                     .ghost = {},
                     .bands = {}};
    if (part.isNoise) {
      WindowPlaces& at =
          places.try_emplace(part.stretch.generation, part.stretch.map, projection).first->second;
      NoiseBand band = noiseBand(part.windows, at, projection, line.factor, smoothing);
      piece.ink.raw = std::move(band.middle);
      piece.ink.samples = band.samples;
      for (const QPolygonF& points : piece.ink.raw) piece.ink.points += points.size();
      if (isAlone) piece.bands = std::move(band.outlines);
    } else {
      piece.ink =
          decimate(part.columns, projection, smoothing, line.isStepped ? Join::Steps : Join::Straight);
      if (isAlone && smoothing > 0) piece.ghost = piece.ink.raw;
    }
    drawn.pieces.push_back(std::move(piece));
  }
  return drawn;
}

// The same line, of another series.
common::LineSpec with(common::LineSpec line, const std::string& series) {
  line.series = series;
  return line;
}

// Returns the areas between two lines of the same steps.
std::vector<QPolygonF> between(const SceneLine& low, const SceneLine& high) {
  std::vector<QPolygonF> areas;
  for (std::size_t piece = 0; piece < std::min(low.pieces.size(), high.pieces.size()); ++piece) {
    const auto inkOf = [piece](const SceneLine& line) -> const std::vector<QPolygonF>& {
      const Polylines& ink = line.pieces[piece].ink;
      return ink.smooth.empty() ? ink.raw : ink.smooth;
    };
    const auto &lower = inkOf(low), &upper = inkOf(high);
    for (std::size_t i = 0; i < std::min(lower.size(), upper.size()); ++i) {
      QPolygonF area = upper[i];
      area.append(QPolygonF(lower[i].rbegin(), lower[i].rend()));
      areas.push_back(std::move(area));
    }
  }
  return areas;
}

// Whether the axis begins at its lowest value: where all of its lines ask for it.
bool isFromLowest(const common::ChartSpec& spec, bool isRight) {
  return std::all_of(spec.lines.begin(), spec.lines.end(), [&](const common::LineSpec& line) {
    return line.isRight != isRight || line.isBound || line.isFromLowest;
  });
}

// Whether noise is drawn as bands: where steps crowd, unless a person wants every peak or no smoothing. A
// logarithmic axis spreads the first steps wide.
bool isNoisy(const std::vector<Stretch>& stretches, const SceneOptions& options, const QRectF& plot) {
  if (options.isWhole || options.isLogX || !(options.smoothing > 0)) return false;
  std::int64_t steps = 0;
  for (const Stretch& stretch : stretches) steps += stretch.to - stretch.from + 1;
  return static_cast<double>(steps) > kNoise * plot.width();
}

}  // namespace

ChartScene buildScene(SeriesModel& model, const common::ChartSpec& spec, const QRectF& plot,
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
  if (runs.empty()) runs.push_back({&model, -1, {}, {}});
  const auto isHidden = [&](std::size_t line) {
    return line < options.isHidden.size() && options.isHidden[line];
  };

  struct Edges {
    std::vector<Part> low, high;
  };
  std::vector<Edges> edges(spec.lines.size());  // those of several runs would hide the lines
  // Parts by run and line.
  std::vector<std::vector<std::vector<Part>>> parts(runs.size(),
                                                    std::vector<std::vector<Part>>(spec.lines.size()));
  ValueRange left, right;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    const std::vector<Stretch> stretches = stretchesInView(*runs[run].model, options);
    PartReader reader(*runs[run].model, scene.left, options, isNoisy(stretches, options, plot));
    for (const Stretch& stretch : stretches) {
      reader.enter(stretch);
      for (std::size_t i = 0; i < spec.lines.size(); ++i) {
        if (isHidden(i)) continue;
        const common::LineSpec& line = spec.lines[i];
        for (Part& part : reader.read(line)) {
          ValueRange& range = line.isRight ? right : left;
          range.add(part.columns);
          range.add(part.windows, line.factor);
          for (const NoiseWindow& window : part.windows) scene.isEstimate |= window.isEstimate;
          scene.hasBands |= part.isNoise && options.runs.empty();
          parts[run][i].push_back(std::move(part));
        }
        if (line.low.empty() || !options.runs.empty()) continue;
        for (Part& part : reader.read(with(line, line.low))) edges[i].low.push_back(std::move(part));
        for (Part& part : reader.read(with(line, line.high))) edges[i].high.push_back(std::move(part));
      }
    }
  }
  scene.isEmpty = left.isEmpty() && right.isEmpty();
  if (spec.bound) left.addBound(*spec.bound);
  scene.left.log = options.isLog.value_or(spec.isLogByDefault && left.spansDecades());
  std::tie(scene.left.y0, scene.left.y1) = left.range({.isRobust = spec.isRobust && !options.isWhole,
                                                       .isLog = scene.left.log,
                                                       .isZoomed = options.isZoomed,
                                                       .isFromLowest = isFromLowest(spec, false),
                                                       .base = spec.base});
  scene.isCut = spec.isRobust && left.isBeyond(scene.left.y0, scene.left.y1);
  // A fixed end says more than a logarithmic scale. It lies below the edge, where a line along it is seen
  // whole.
  std::tie(scene.right.y0, scene.right.y1) = right.range({.isFromLowest = isFromLowest(spec, true)});
  if (spec.rightTop) {
    if (!isFromLowest(spec, true)) scene.right.y0 = 0;
    scene.right.y1 = *spec.rightTop + 0.04 * (*spec.rightTop - scene.right.y0);
  } else {
    scene.right.y1 = std::max(scene.right.y1, 4.0);
  }

  // The open run comes last, above the others.
  for (std::size_t run = runs.size(); run-- > 0;) {
    std::map<int, WindowPlaces> places;
    for (std::size_t i = 0; i < spec.lines.size(); ++i) {
      if (isHidden(i)) continue;
      const Projection& projection = spec.lines[i].isRight ? scene.right : scene.left;
      SceneLine line = lineOf(parts[run][i], spec.lines[i], projection, options, places);
      line.interval = between(lineOf(edges[i].low, spec.lines[i], projection, options, places),
                              lineOf(edges[i].high, spec.lines[i], projection, options, places));
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
