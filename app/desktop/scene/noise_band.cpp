// SPDX-License-Identifier: GPL-3.0-or-later
#include "scene/noise_band.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "batchscope/common/quantile.h"

namespace batchscope::desktop {
namespace {

constexpr double kBandHole = 3;        // times the usual distance between windows
constexpr double kLeastBandHole = 12;  // pixels
constexpr qsizetype kBandPiece = 32;   // places of a polygon

struct BandPlace {
  double x, low, middle, high;
};

// A stretch of windows that follow one another without a hole; the first and last reach to the ends of their
// steps.
struct BandStretch {
  std::vector<BandPlace> places;
  double left = 0, right = 0;
};

std::vector<BandStretch> stretchesOf(std::span<const NoiseWindow> windows, WindowPlaces& places,
                                     double factor) {
  std::vector<double> xs, distances;
  xs.reserve(windows.size());
  distances.reserve(windows.size());
  for (const NoiseWindow& window : windows) {
    xs.push_back(places.middle(xs.size(), window));
    if (xs.size() > 1) distances.push_back(xs.back() - xs[xs.size() - 2]);
  }
  const double most =
      distances.empty() ? kLeastBandHole : std::max(kLeastBandHole, kBandHole * common::median(distances));
  std::vector<BandStretch> stretches;
  bool goesOn = false;
  std::size_t newest = 0;  // of the last stretch
  const auto finish = [&] {
    if (stretches.empty()) return;
    const double right = places.px(static_cast<double>(windows[newest].last));
    stretches.back().right = right - xs[newest] < most ? right : xs[newest];
  };
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const NoiseWindow& window = windows[i];
    if (window.samples == 0 || !std::isfinite(xs[i])) {
      goesOn = false;
      continue;
    }
    if (goesOn && xs[i] - stretches.back().places.back().x > most) goesOn = false;
    if (!goesOn) {
      finish();
      const double left = places.px(static_cast<double>(window.first));
      stretches.push_back({{}, xs[i] - left < most ? left : xs[i], 0});
      stretches.back().places.reserve(windows.size() - i + 2);
    }
    newest = i;
    stretches.back().places.push_back(
        {xs[i], window.low * factor, window.middle * factor, window.high * factor});
    goesOn = true;
  }
  finish();
  return stretches;
}

// Each with `radius` neighbours on either side, as far as there are any.
void average(std::vector<BandPlace>& places, std::size_t radius) {
  if (radius == 0) return;
  const std::vector<BandPlace> before = places;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t reach = std::min({radius, i, places.size() - 1 - i});
    BandPlace sum{places[i].x, 0, 0, 0};
    for (std::size_t j = i - reach; j <= i + reach; ++j) {
      sum.low += before[j].low;
      sum.middle += before[j].middle;
      sum.high += before[j].high;
    }
    const auto count = static_cast<double>(2 * reach + 1);
    places[i] = {sum.x, sum.low / count, sum.middle / count, sum.high / count};
  }
}

// Adds the band in pieces that meet at whole pixels, where nothing is blended twice: the raster engine goes
// through all edges that a polygon has on a row of pixels.
void addOutlines(std::vector<QPolygonF>& outlines, QPolygonF upper, QPolygonF lower) {
  for (qsizetype first = 0; first + 1 < upper.size(); first += kBandPiece) {
    const qsizetype last = std::min(first + kBandPiece, upper.size() - 1);
    for (QPolygonF* edge : {&upper, &lower})
      if (last + 1 < upper.size()) (*edge)[last].setX(std::round((*edge)[last].x()));
    QPolygonF piece = upper.mid(first, last - first + 1);
    for (qsizetype i = last; i >= first; --i) piece << lower[i];
    outlines.push_back(std::move(piece));
  }
}

}  // namespace

double WindowPlaces::middle(std::size_t number, const NoiseWindow& window) {
  if (number >= known_.size()) known_.resize(number + 1);
  Known& known = known_[number];
  if (known.first != window.first || known.last != window.last)
    known = {window.first, window.last,
             px((static_cast<double>(window.first) + static_cast<double>(window.last)) / 2)};
  return known.x;
}

NoiseBand noiseBand(std::span<const NoiseWindow> windows, WindowPlaces& at, const Projection& projection,
                    double factor, double smoothing) {
  NoiseBand band;
  for (const NoiseWindow& window : windows) band.samples += window.samples;
  for (BandStretch& stretch : stretchesOf(windows, at, factor)) {
    std::vector<BandPlace>& places = stretch.places;
    if (smoothing > 0 && places.size() > 1) {
      const double distance =
          std::max(0.5, (places.back().x - places.front().x) / static_cast<double>(places.size() - 1));
      const double pixels = 2 * smoothing / (1 - smoothing);
      average(places, static_cast<std::size_t>(std::max(0.0, std::round(pixels / distance) - 1)));
    }
    if (stretch.left < places.front().x) {
      places.insert(places.begin(), places.front());
      places.front().x = stretch.left;
    }
    if (stretch.right > places.back().x) {
      places.push_back(places.back());
      places.back().x = stretch.right;
    }
    QPolygonF middle, upper, lower;
    for (QPolygonF* line : {&middle, &upper, &lower}) line->reserve(static_cast<qsizetype>(places.size()));
    const auto finish = [&] {
      if (middle.isEmpty()) return;
      band.middle.push_back(std::exchange(middle, {}));
      addOutlines(band.outlines, std::exchange(upper, {}), std::exchange(lower, {}));
    };
    for (const BandPlace& place : places) {
      const double y = projection.py(place.middle), top = projection.py(place.high);
      // A value that is not > 0 has no place on a logarithmic axis; a band goes down to its edge.
      const double bottom =
          projection.log && !(place.low > 0) ? projection.plot.bottom() : projection.py(place.low);
      if (!std::isfinite(y) || !std::isfinite(top) || !std::isfinite(bottom)) {
        finish();
        continue;
      }
      // A steep line has a place every pixel, for its ribbon.
      if (!middle.isEmpty()) {
        const QPointF from = middle.last(), d = QPointF(place.x, y) - from;
        if (std::abs(d.y()) > d.x())
          for (double x = 1; x < d.x(); ++x) middle << from + x / d.x() * d;
      }
      middle << QPointF(place.x, y);
      upper << QPointF(place.x, top);
      lower << QPointF(place.x, bottom);
    }
    finish();
  }
  return band;
}

}  // namespace batchscope::desktop
