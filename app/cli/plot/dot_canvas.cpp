// SPDX-License-Identifier: Apache-2.0
#include "plot/dot_canvas.h"

#include <algorithm>
#include <cstdlib>

namespace batchscope::cli {
namespace {

// The bit of each dot, by row from the top and column: the order of Unicode's patterns is that of old six-dot
// Braille.
constexpr std::uint8_t kBits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

// U+2800 + dots in UTF-8.
std::string braille(std::uint8_t dots) {
  return {'\xE2', static_cast<char>(0xA0 | (dots >> 6)), static_cast<char>(0x80 | (dots & 0x3F))};
}

}  // namespace

DotCanvas::DotCanvas(int width, int height, bool utf8)
    : width_(width), height_(height), utf8_(utf8), cells_(static_cast<std::size_t>(width * height)) {}

DotCanvas::Cell& DotCanvas::cellAt(int x, int y) {
  const int fromTop = dotHeight() - 1 - y;
  return cells_[static_cast<std::size_t>(utf8_ ? fromTop / 4 * width_ + x / 2 : fromTop * width_ + x)];
}

void DotCanvas::dot(int x, int y, Colour colour) {
  if (x < 0 || y < 0 || x >= dotWidth() || y >= dotHeight()) return;
  Cell& cell = cellAt(x, y);
  cell.dots = utf8_ ? cell.dots | kBits[(dotHeight() - 1 - y) % 4][x % 2] : 1;
  cell.colour = colour;
}

// Bresenham's: as many dots as the longer side has.
void DotCanvas::line(int x0, int y0, int x1, int y1, Colour colour) {
  const int steps = std::max({std::abs(x1 - x0), std::abs(y1 - y0), 1});
  for (int i = 0; i <= steps; ++i)
    dot(x0 + ((x1 - x0) * i + (x1 > x0 ? steps / 2 : -steps / 2)) / steps,
        y0 + ((y1 - y0) * i + (y1 > y0 ? steps / 2 : -steps / 2)) / steps, colour);
}

void DotCanvas::rule(int x, Colour colour) {
  if (x < 0 || x >= dotWidth()) return;
  for (int y = 0; y < dotHeight(); y += 2)
    if (const Cell& cell = cellAt(x, y); cell.dots == 0 || cell.colour == colour) dot(x, y, colour);
}

std::string DotCanvas::row(int number, const Style& style) const {
  std::string text, run;
  Colour colour = Colour::none;
  const auto flush = [&] {
    text += style.paint(run, colour);
    run.clear();
  };
  for (int column = 0; column < width_; ++column) {
    const Cell& cell = cells_[static_cast<std::size_t>(number * width_ + column)];
    if (cell.dots != 0 && cell.colour != colour) {
      flush();
      colour = cell.colour;
    }
    if (cell.dots == 0)
      run += ' ';
    else if (utf8_)
      run += braille(cell.dots);
    else
      run += cell.colour == Colour::dim ? ':' : '*';
  }
  run.erase(run.find_last_not_of(' ') + 1);
  flush();
  return text;
}

}  // namespace batchscope::cli
