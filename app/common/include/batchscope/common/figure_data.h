// SPDX-License-Identifier: Apache-2.0
/// \file
/// A chart at rest, as data: axes, and on them, from the bottom layer up, cells, lines and dots, stacked
/// bars, and notes. Each chart of few points is a function that makes one of these; the window's Figure and
/// the page's draw it.
#pragma once

#include <QRectF>
#include <QString>
#include <cmath>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "batchscope/common/ticks.h"

namespace batchscope::common {

/// A colour by its meaning, so that it follows the theme.
struct Ink {
  /// The meanings.
  enum Token { Series, Run, Accent, Dim, Faint, Good, Warning, Bad };
  Token token = Series;  ///< see above
  int index = 0;         ///< among the theme's colours of series or of runs
  double alpha = 1;      ///< 0: invisible, 1: opaque

  bool operator==(const Ink&) const = default;  ///< of all fields
};

/// An axis of a figure.
struct FigureAxis {
  /// Logarithmic has powers of two or ten for its ticks, as batch sizes have; Decades 1, 2, 5, 10 ..
  enum class Kind { Linear, Logarithmic, Decades, Time, LogarithmicTime };
  Kind kind = Kind::Linear;  ///< see above
  QString title = {};        ///< with the unit; empty: none
  std::optional<double> low =
      {};  ///< its beginning; none: that of what is drawn, of a linear axis zero where that is near
  std::optional<double> high = {};  ///< its end; none: that of what is drawn
  std::vector<Tick> ticks = {};     ///< names in place of numbers
  bool isBare = false;              ///< nothing is written beside it

  /// Returns whether distances are ratios.
  bool isLogarithmic() const { return kind != Kind::Linear && kind != Kind::Time; }
  bool operator==(const FigureAxis&) const = default;  ///< of all fields
};

/// Returns whether two numbers are equal; two gaps are the same.
inline bool isSame(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// A place in a figure.
struct FigurePoint {
  double x = 0;       ///< not finite, or not above zero on a logarithmic axis: a gap
  double y = 0;       ///< the same
  QString text = {};  ///< shown under the pointer; empty: it cannot be pointed at
  /// Compares all fields.
  bool operator==(const FigurePoint& other) const {
    return isSame(x, other.x) && isSame(y, other.y) && text == other.text;
  }
};

/// A line, dots, or an area.
struct FigureSeries {
  /// Looks of a series.
  enum class Mark { Line, Dashed, Dotted, Dots, Rings, DottedLine, Area };
  QString name = {};                     ///< in the legend; empty: not there
  Ink ink = {};                          ///< its colour
  Mark mark = Mark::Line;                ///< see above
  std::vector<FigurePoint> points = {};  ///< in their order
  bool isRight = false;                  ///< on the right axis
  double size = 1.6;                     ///< pixels: of a stroke, or across a dot
  std::vector<double> lower = {};        ///< the other bound of an area
  std::vector<double> strengths = {};    ///< of dots, 0 to 1: from a tint of the ink to all of it
  bool operator==(const FigureSeries&) const = default;  ///< of all fields
};

/// One part of every bar; bars lie, the first at 0, the next at 1 .., which the left axis names.
struct FigurePart {
  QString name;                                        ///< in the legend
  Ink ink = {};                                        ///< its colour
  std::vector<double> values = {};                     ///< its length in each bar
  bool operator==(const FigurePart&) const = default;  ///< of all fields
};

/// A rectangle beneath all else; one without height is as high as the plot.
struct FigureCell {
  QRectF box;                                          ///< in the units of the axes
  Ink ink = {};                                        ///< its colour
  QString text = {};                                   ///< shown under the pointer
  bool operator==(const FigureCell&) const = default;  ///< of all fields
};

/// A word beside a place, or behind a bar. Where x or y is NaN, it is a dashed line across at the other.
struct FigureNote {
  double x = 0;          ///< of the place
  double y = 0;          ///< the same
  QString text = {};     ///< the word
  Ink ink = {Ink::Dim};  ///< its colour
  /// Compares all fields.
  bool operator==(const FigureNote& other) const {
    return isSame(x, other.x) && isSame(y, other.y) && text == other.text && ink == other.ink;
  }
};

/// The numbers behind a figure, as they are saved.
struct FigureTable {
  using Cell = std::variant<std::optional<double>, std::string>;  ///< empty: not known
  std::vector<std::string> columns = {};                          ///< their names
  std::vector<std::vector<Cell>> rows = {};                       ///< a cell for each column
  bool operator==(const FigureTable&) const = default;            ///< of all fields
};

/// Returns the cell of a number; an empty one where it is not finite.
FigureTable::Cell cellOf(double value);

/// A figure.
struct FigureData {
  FigureAxis bottom = {};                 ///< at the bottom
  FigureAxis left = {};                   ///< at the left
  FigureAxis right = {.isBare = true};    ///< at the right, if any series is on it
  std::vector<FigureCell> cells = {};     ///< from the bottom layer up
  std::vector<FigureSeries> series = {};  ///< the same
  std::vector<FigurePart> bars = {};      ///< from the left
  std::vector<QString> barTexts = {};     ///< of each bar, shown under the pointer
  std::vector<FigureNote> notes = {};     ///< on top
  FigureTable table = {};                 ///< what is saved of it
  bool isCurve = false;                   ///< pointing anywhere shows the point above or below
  QString missing = {};                   ///< shown where there is nothing to draw
  QString description = {};               ///< for a person who does not see it

  /// Returns whether there is nothing to draw.
  bool isEmpty() const { return cells.empty() && series.empty() && bars.empty(); }
  bool operator==(const FigureData&) const = default;  ///< of all fields
};

}  // namespace batchscope::common
