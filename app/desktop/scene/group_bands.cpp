// SPDX-License-Identifier: GPL-3.0-or-later
#include "scene/group_bands.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "scene/chart_scene.h"

namespace batchscope::desktop {
namespace {

constexpr double kColumn = 2;  // px

// Returns a quantile of sorted values, interpolated between neighbours.
double quantileOfSorted(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], at - static_cast<double>(below));
}

// The outline of a band: along its upper edge and back along the lower one.
struct GroupStretch {
  QPolygonF middle, upper, lower;

  QPolygonF outline() const {
    QPolygonF polygon = upper;
    std::for_each(lower.rbegin(), lower.rend(), [&](const QPointF& point) { polygon << point; });
    return polygon;
  }
};

SceneLine bundled(const std::vector<SceneLine>& members, const QRectF& plot, GroupBands bands) {
  SceneLine line;
  const SceneLine& first = *std::min_element(members.begin(), members.end(),
                                             [](const auto& a, const auto& b) { return a.run < b.run; });
  line.spec = first.spec;
  line.run = first.run;
  line.colour = first.colour;
  ScenePiece piece;
  GroupStretch stretch;
  const auto finish = [&] {
    if (stretch.middle.isEmpty()) return;
    piece.ink.raw.push_back(stretch.middle);
    if (stretch.middle.size() > 1) line.bands.push_back(stretch.outline());
    stretch = {};
  };
  std::size_t count = 0;
  const double low = bands == GroupBands::Quartiles ? 0.25 : 0, high = 1 - low;
  for (double x = plot.left(); x <= plot.right(); x += kColumn) {
    std::vector<double> heights;
    for (const SceneLine& member : members)
      if (const auto y = member.yAt(std::nullopt, x)) heights.push_back(*y);
    // A run that ends or restarts is not a leap of the others.
    if (heights.size() != count) finish();
    count = heights.size();
    if (heights.empty()) continue;
    std::sort(heights.begin(), heights.end());
    stretch.middle << QPointF(x, quantileOfSorted(heights, 0.5));
    stretch.upper << QPointF(x, quantileOfSorted(heights, low));
    stretch.lower << QPointF(x, quantileOfSorted(heights, high));
  }
  finish();
  for (const SceneLine& member : members) {
    for (const ScenePiece& part : member.pieces) {
      piece.ink.samples += part.ink.samples;
      piece.ink.points += part.ink.points;
    }
  }
  line.pieces.push_back(std::move(piece));
  return line;
}

}  // namespace

void bundleGroups(ChartScene& scene, const std::vector<std::string>& groups, GroupBands bands) {
  std::map<std::pair<std::size_t, std::string>, std::vector<SceneLine>> members;
  std::vector<SceneLine> lines;
  for (SceneLine& line : scene.lines) {
    const std::string& group = groups.at(line.run);
    const auto size = std::count(groups.begin(), groups.end(), group);
    if (group.empty() || size < 2) {
      lines.push_back(std::move(line));
    } else {
      members[{line.spec, group}].push_back(std::move(line));
    }
  }
  std::vector<SceneLine> bundles;  // below the open run
  for (const auto& [key, group] : members) bundles.push_back(bundled(group, scene.left.plot, bands));
  lines.insert(lines.begin(), std::make_move_iterator(bundles.begin()),
               std::make_move_iterator(bundles.end()));
  scene.lines = std::move(lines);
}

}  // namespace batchscope::desktop
