// SPDX-License-Identifier: Apache-2.0
//
// A canvas of dots in a terminal's cells: each cell has 2 by 4 dots as a Braille pattern (U+2800 and up), or
// one dot if the locale is not UTF-8. A cell has the colour of its last dot.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "terminal/terminal.h"

namespace batchscope::cli {

class DotCanvas {
 public:
  // Makes a canvas of so many cells.
  DotCanvas(int width, int height, bool utf8);

  // Width and height in dots.
  int dotWidth() const { return width_ * (utf8_ ? 2 : 1); }
  int dotHeight() const { return height_ * (utf8_ ? 4 : 1); }
  // Returns the dot at a fraction of the width from the left, and of the height from the bottom.
  int column(double across) const { return static_cast<int>(std::lround(across * (dotWidth() - 1))); }
  int height(double up) const { return static_cast<int>(std::lround(up * (dotHeight() - 1))); }

  // Draws a dot at columns from the left and rows from the bottom. Dots outside are left out.
  void dot(int x, int y, Colour colour);
  void line(int x0, int y0, int x1, int y1, Colour colour);
  // Draws a dashed line from bottom to top, in cells where nothing else is drawn yet.
  void rule(int x, Colour colour);

  // Returns a row of cells, counted from the top.
  std::string row(int number, const Style& style) const;

 private:
  struct Cell {
    std::uint8_t dots = 0;
    Colour colour = Colour::none;
  };

  Cell& cellAt(int x, int y);  // that holds the dot

  int width_, height_;
  bool utf8_;
  std::vector<Cell> cells_;
};

}  // namespace batchscope::cli
