// SPDX-License-Identifier: Apache-2.0
#include "stroke_digits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <random>

#include "glyphs.h"

namespace batchscope::digits {
namespace {

// The variation among images of one digit, chosen so that a linear softmax stays well under 92 % and the
// example's small CNN passes 97 % (tests/examples/test_difficulty.cpp). Lengths are in pixels.
constexpr double kWobble = 0.04;                 // of a control point, in glyph heights
constexpr double kWidth = 12.5, kHeight = 18.0;  // of the glyph's box
constexpr double kWidthSpread = 0.15, kHeightSpread = 0.10;
constexpr double kTilt = 0.15, kShear = 0.18;  // rotation and slant, in radians (nearly)
constexpr double kShift = 1.5;
constexpr double kThinnest = 0.6, kThickest = 1.5;  // radius of the pen
constexpr int kMostStrays = 3;
constexpr double kNoise = 0.12;  // of full ink
constexpr int kPieces = 6;       // straight pieces of a spline's span

struct Point {
  double x, y;
};

// Uniform and nearly normal numbers with the same result on every machine.
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream) : engine_(seed * 0x9e3779b97f4a7c15U + stream) {}

  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  int below(int limit) { return static_cast<int>(uniform() * limit); }
  // Irwin-Hall: the sum of four uniform numbers has variance 1/3.
  double normal() {
    double sum = -2;
    for (int i = 0; i < 4; ++i) sum += uniform();
    return sum * 1.7320508075688772;
  }

 private:
  std::mt19937_64 engine_;
};

class Canvas {
 public:
  // A line of a round pen, its edge one pixel soft; where lines cross, the darker one shows.
  void line(Point from, Point to, double radius, double ink) {
    const double reach = radius + 0.5;
    const int left = first(std::min(from.x, to.x) - reach), right = last(std::max(from.x, to.x) + reach);
    const int top = first(std::min(from.y, to.y) - reach), bottom = last(std::max(from.y, to.y) + reach);
    for (int y = top; y <= bottom; ++y)
      for (int x = left; x <= right; ++x) {
        const double cover = reach - distance({double(x), double(y)}, from, to);
        double& pixel = pixels_[static_cast<std::size_t>(y) * kSide + static_cast<std::size_t>(x)];
        pixel = std::max(pixel, ink * std::clamp(cover, 0.0, 1.0));
      }
  }

  void noise(Random& random) {
    for (double& pixel : pixels_) pixel += kNoise * random.normal();
  }

  void append_to(std::vector<std::uint8_t>& bytes) const {
    for (const double pixel : pixels_)
      bytes.push_back(static_cast<std::uint8_t>(std::clamp(pixel, 0.0, 1.0) * 255.0 + 0.5));
  }

 private:
  static int first(double edge) { return std::max(0, static_cast<int>(std::ceil(edge))); }
  static int last(double edge) {
    return std::min(static_cast<int>(kSide) - 1, static_cast<int>(std::floor(edge)));
  }

  static double distance(Point p, Point a, Point b) {
    const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    const double along =
        square > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / square, 0.0, 1.0) : 0.0;
    const double ex = p.x - a.x - along * dx, ey = p.y - a.y - along * dy;
    return std::sqrt(ex * ex + ey * ey);
  }

  std::array<double, kSide * kSide> pixels_{};
};

// Maps the glyph's box to the canvas: scaled, slanted, turned and shifted about the middle.
class Placement {
 public:
  explicit Placement(Random& random) {
    // sin and cos of a small angle by its half tangent, without the mathematics library.
    const double half = kTilt * random.normal() / 2, norm = 1 + half * half;
    const double cosine = (1 - half * half) / norm, sine = 2 * half / norm, slant = kShear * random.normal();
    const double width = kWidth * (1 + kWidthSpread * random.normal());
    const double height = kHeight * (1 + kHeightSpread * random.normal());
    xx_ = cosine * width;
    xy_ = (cosine * slant - sine) * height;
    yx_ = sine * width;
    yy_ = (sine * slant + cosine) * height;
    middle_ = {(kSide - 1) / 2.0 + kShift * random.normal(), (kSide - 1) / 2.0 + kShift * random.normal()};
  }

  Point operator()(Point p) const {
    const double x = p.x - 0.5, y = p.y - 0.5;
    return {middle_.x + xx_ * x + xy_ * y, middle_.y + yx_ * x + yy_ * y};
  }

 private:
  double xx_, xy_, yx_, yy_;
  Point middle_;
};

// The uniform Catmull-Rom spline from b to c with neighbours a and d.
Point spline(Point a, Point b, Point c, Point d, double t) {
  const auto cubic = [t](double p, double q, double r, double s) {
    return q + 0.5 * t * (r - p + t * (2 * p - 5 * q + 4 * r - s + t * (3 * (q - r) + s - p)));
  };
  return {cubic(a.x, b.x, c.x, d.x), cubic(a.y, b.y, c.y, d.y)};
}

void draw_stroke(Canvas& canvas, const Stroke& stroke, const Placement& place, double radius, double ink,
                 Random& random) {
  std::vector<Point> points;
  for (const ControlPoint& point : stroke)
    points.push_back({point.x + kWobble * random.normal(), point.y + kWobble * random.normal()});
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const Point before = i == 0 || stroke[i].corner ? points[i] : points[i - 1];
    const Point after = i + 2 == points.size() || stroke[i + 1].corner ? points[i + 1] : points[i + 2];
    Point from = place(points[i]);
    for (int piece = 1; piece <= kPieces; ++piece) {
      const Point to = place(spline(before, points[i], points[i + 1], after, double(piece) / kPieces));
      canvas.line(from, to, radius, ink);
      from = to;
    }
  }
}

// A slip of the pen: short, thin, anywhere.
void draw_stray(Canvas& canvas, Random& random) {
  const Point from{random.uniform(0, kSide), random.uniform(0, kSide)};
  const Point to{from.x + random.uniform(-7, 7), from.y + random.uniform(-7, 7)};
  const double radius = random.uniform(0.4, 1.0), ink = random.uniform(0.4, 1.0);
  canvas.line(from, to, radius, ink);
}

Canvas draw_digit(int digit, Random& random) {
  const auto& styles = glyphs()[static_cast<std::size_t>(digit)];
  const Glyph& glyph = styles[static_cast<std::size_t>(random.below(static_cast<int>(styles.size())))];
  const Placement place(random);
  const double radius = random.uniform(kThinnest, kThickest), ink = random.uniform(0.7, 1.0);
  Canvas canvas;
  for (const Stroke& stroke : glyph) draw_stroke(canvas, stroke, place, radius, ink, random);
  for (int strays = random.below(kMostStrays + 1); strays > 0; --strays) draw_stray(canvas, random);
  canvas.noise(random);
  return canvas;
}

}  // namespace

LabelledImages draw_digits(std::uint64_t seed, std::uint64_t stream, std::uint32_t count) {
  Random random(seed, stream);
  LabelledImages set{{count, kSide, kSide, {}}, {}};
  set.images.pixels.reserve(std::size_t{count} * kSide * kSide);
  for (std::uint32_t i = 0; i < count; ++i) {
    const int digit = random.below(10);
    set.labels.push_back(static_cast<std::uint8_t>(digit));
    draw_digit(digit, random).append_to(set.images.pixels);
  }
  return set;
}

}  // namespace batchscope::digits
