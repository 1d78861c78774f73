// SPDX-License-Identifier: GPL-3.0-or-later
//
// A stroke of width w along a slope s is w sqrt(1 + s^2) high at every x. Half of that lies beyond a place on
// the side to which its steeper neighbour lies, and w / 2 on a side where it is the extreme; a tip that
// stands out on that side has an end as wide as the pen.
#include "chart/ribbon.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace batchscope::desktop {
namespace {

constexpr qsizetype kFewPoints = 32;
constexpr double kSpacing = 1.5;  // pixels between places, at most, on the average
constexpr double kGentle = 6;     // the same between any two, where no slope is steep
// Places of a polygon. The raster engine goes through all that it has on a row of pixels for every edge.
constexpr std::size_t kPiece = 32;

struct Place {
  double x, top, bottom;
};

std::vector<Place> placesOf(const QPolygonF& line) {
  std::vector<Place> places;
  places.reserve(static_cast<std::size_t>(line.size()));
  for (const QPointF& point : line) {
    if (places.empty() || places.back().x != point.x()) {
      places.push_back({point.x(), point.y(), point.y()});
    } else {
      places.back().top = std::min(places.back().top, point.y());
      places.back().bottom = std::max(places.back().bottom, point.y());
    }
  }
  return places;
}

// Returns the outline of the places from first to last.
QPolygonF outline(const std::vector<Place>& places, std::size_t first, std::size_t last, double width) {
  std::vector<QPointF> above, below;
  for (std::size_t i = first; i <= last; ++i) {
    const Place& place = places[i];
    const Place& left = places[i > 0 ? i - 1 : i];
    const Place& right = places[i + 1 < places.size() ? i + 1 : i];
    // How far the stroke reaches beyond the place towards a neighbour `gap` away, which it need not pass.
    const auto reach = [&](double gap, const Place& neighbour) {
      if (!(gap > 0)) return width / 2;
      const double slope = gap / (neighbour.x - place.x);
      return std::min(width / 2 * std::sqrt(1 + slope * slope), gap + width / 2);
    };
    const auto add = [&](std::vector<QPointF>& side, double y, bool isTip) {
      if (!isTip) {
        side.emplace_back(place.x, y);
        return;
      }
      side.emplace_back(place.x - std::min(width, place.x - left.x) / 2, y);
      side.emplace_back(place.x + std::min(width, right.x - place.x) / 2, y);
    };
    add(above,
        place.top - std::max(reach(place.top - left.bottom, left), reach(place.top - right.bottom, right)),
        std::min(left.top, right.top) - place.top > width);
    add(below,
        place.bottom + std::max(reach(left.top - place.bottom, left), reach(right.top - place.bottom, right)),
        place.bottom - std::max(left.bottom, right.bottom) > width);
  }
  above.insert(above.end(), below.rbegin(), below.rend());
  return QPolygonF(QList<QPointF>(above.begin(), above.end()));
}

}  // namespace

bool isDense(const QPolygonF& line) {
  if (line.size() < kFewPoints) return false;
  const double width = line.last().x() - line.first().x();
  if (width <= kSpacing * static_cast<double>(line.size())) return true;
  return std::adjacent_find(line.begin(), line.end(), [](const QPointF& from, const QPointF& to) {
           const double across = to.x() - from.x();
           return across > kSpacing && (across > kGentle || std::abs(to.y() - from.y()) > across);
         }) == line.end();
}

std::vector<QPolygonF> ribbon(const QPolygonF& line, double width) {
  const std::vector<Place> places = placesOf(line);
  std::vector<QPolygonF> pieces;
  for (std::size_t first = 0; first + 1 < places.size(); first += kPiece)
    pieces.push_back(
        outline(places, first > 0 ? first - 1 : 0, std::min(first + kPiece, places.size() - 1), width));
  return pieces;
}

}  // namespace batchscope::desktop
