// SPDX-License-Identifier: GPL-3.0-or-later
//
// A chart at rest, as data: axes, and on them, from the bottom layer up, cells, lines and dots, stacked bars,
// and notes. Each chart of few points is a function that makes one of these; a Figure draws it.
#pragma once

#include <QRectF>
#include <QString>
#include <cmath>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "chart/axis.h"
#include "look/theme.h"

namespace batchscope::desktop {

// A colour by its meaning, so that it follows the theme.
struct Ink {
  enum Token { Series, Run, Accent, Dim, Faint, Good, Warning, Bad };
  Token token = Series;
  int index = 0;  // of Theme::series or Theme::runs
  double alpha = 1;

  QColor of(const Theme& theme) const;
  bool operator==(const Ink&) const = default;
};

struct FigureAxis {
  // Logarithmic has powers of two or ten for its ticks, as batch sizes have; Decades 1, 2, 5, 10 ..
  enum class Kind { Linear, Logarithmic, Decades, Time, LogarithmicTime };
  Kind kind = Kind::Linear;
  QString title = {};
  std::optional<double> low = {},
                        high = {};  // else what is drawn, a linear axis from zero where that is near
  std::vector<Tick> ticks = {};     // names in place of numbers
  bool isBare = false;              // nothing is written beside it

  bool isLogarithmic() const { return kind != Kind::Linear && kind != Kind::Time; }
  bool operator==(const FigureAxis&) const = default;
};

// Two gaps are the same.
inline bool isSame(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

struct FigurePoint {
  double x = 0, y = 0;  // not finite, or not above zero on a logarithmic axis: a gap
  QString text = {};    // shown under the pointer; empty: it cannot be pointed at
  bool operator==(const FigurePoint& other) const {
    return isSame(x, other.x) && isSame(y, other.y) && text == other.text;
  }
};

struct FigureSeries {
  enum class Mark { Line, Dashed, Dotted, Dots, Rings, DottedLine, Area };
  QString name = {};  // in the legend; empty: not there
  Ink ink = {};
  Mark mark = Mark::Line;
  std::vector<FigurePoint> points = {};
  bool isRight = false;                // on the right axis
  double size = 1.6;                   // pixels: of a stroke, or across a dot
  std::vector<double> lower = {};      // the other bound of an area
  std::vector<double> strengths = {};  // of dots, 0 to 1: from a tint of the ink to all of it
  bool operator==(const FigureSeries&) const = default;
};

// One part of every bar; bars lie, the first at 0, the next at 1 .., which the left axis names.
struct FigurePart {
  QString name;
  Ink ink = {};
  std::vector<double> values = {};
  bool operator==(const FigurePart&) const = default;
};

// A rectangle beneath all else; one without height is as high as the plot.
struct FigureCell {
  QRectF box;  // in the units of the axes
  Ink ink = {};
  QString text = {};
  bool operator==(const FigureCell&) const = default;
};

// A word beside a place, or behind a bar. Where x or y is NaN, it is a dashed line across at the other.
struct FigureNote {
  double x = 0, y = 0;
  QString text = {};
  Ink ink = {Ink::Dim};
  bool operator==(const FigureNote& other) const {
    return isSame(x, other.x) && isSame(y, other.y) && text == other.text && ink == other.ink;
  }
};

// The numbers behind a figure, as they are saved; empty: not known.
struct FigureTable {
  using Cell = std::variant<std::optional<double>, std::string>;
  std::vector<std::string> columns = {};
  std::vector<std::vector<Cell>> rows = {};
  bool operator==(const FigureTable&) const = default;
};

// None where it is not finite.
FigureTable::Cell cellOf(double value);

struct FigureData {
  FigureAxis bottom = {}, left = {}, right = {.isBare = true};
  std::vector<FigureCell> cells = {};
  std::vector<FigureSeries> series = {};
  std::vector<FigurePart> bars = {};
  std::vector<QString> barTexts = {};  // of each bar, shown under the pointer
  std::vector<FigureNote> notes = {};
  FigureTable table = {};
  bool isCurve = false;  // pointing anywhere shows the point above or below
  QString missing = {};  // shown where there is nothing to draw
  QString description = {};

  bool isEmpty() const { return cells.empty() && series.empty() && bars.empty(); }
  bool operator==(const FigureData&) const = default;
};

}  // namespace batchscope::desktop
