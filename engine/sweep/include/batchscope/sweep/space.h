// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a sweep searches: parameters, and conditions of one on another. Each parameter has an axis, on which
/// methods draw, compare and measure distances; with q the step, 1 of an integer without one,
///
///     x = value                from min to max, with a step from min - q/2 to max + q/2
///     x = log value            from log min to log max, of an integer from log(min - 1/2) to log(max + 1/2)
///     x = index of the choice  from 0 to their number
///
/// so that each value of a grid has a cell of its own, the outermost ones as wide as the others. A value that
/// comes from an axis has about six digits, so that people read the value that was trained.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace batchscope::sweep {

/// A parameter is there only where another one has one of these values.
struct Condition {
  std::string parameter;            ///< by name; a choice or an integer, or a number with a step
  std::vector<std::string> values;  ///< at least one, each one that it can have

  bool operator==(const Condition&) const = default;  ///< of all fields
};

/// A stretch of a parameter's axis.
struct Interval {
  double low = 0;   ///< not above high
  double high = 0;  ///< not below low
};

/// One of the program's options. A fixed one is a choice with one value.
struct Parameter {
  /// Kind of its values.
  enum class Kind { real, integer, choice };

  std::string name;            ///< "lr": becomes --lr VALUE
  Kind kind = Kind::choice;    ///< of its values
  double min = 0;              ///< of a number, below max
  double max = 0;              ///< of a number
  bool log = false;            ///< whether a number's axis is logarithmic; then min is above 0
  std::optional<double> step;  ///< above 0, of a number on a linear scale; the last value is at most max
  std::vector<std::string> choices;  ///< of a choice: all its values
  std::optional<Condition> when;     ///< none: it is always there

  bool operator==(const Parameter&) const = default;  ///< of all fields

  std::optional<std::size_t> count() const;  ///< of different values; none: endlessly many
  double nth(std::size_t index) const;       ///< of the count() values in their order; a choice's index
  Interval axis() const;                     ///< all of it
  double on_axis(double value) const;        ///< the value's place, for a choice the middle of its cell
  Interval cell(double value) const;  ///< of the axis, what becomes this value; a point where count() is none
  double value(double place) const;   ///< the value whose cell has this place, or the nearest one
  double at_share(double share) const;   ///< the value at this share of the axis, 0 to 1
  std::string text(double value) const;  ///< as the program gets it
  std::optional<double> parse(const std::string& text) const;  ///< the other way; none: it has no such value
};

/// A value of each parameter in the order of the space, a choice's index; none: its condition does not hold.
using Point = std::vector<std::optional<double>>;
/// The same point by name and as the program gets it, without parameters that are not there.
using Texts = std::map<std::string, std::string>;

/// Parameters that fit one another.
class Space {
 public:
  /// A fault of a parameter, alone or beside the others.
  struct Fault {
    std::size_t parameter = 0;  ///< index
    std::string what;           ///< a sentence that names it and says what to do
  };

  static constexpr std::size_t kMostParameters = 100;  ///< in one space

  /// Returns the first fault; none where all is well.
  static std::optional<Fault> fault(std::span<const Parameter> parameters);

  /// Throws Error(usage) with the first fault.
  explicit Space(std::vector<Parameter> parameters);

  const std::vector<Parameter>& parameters() const { return parameters_; }  ///< as they were given
  std::size_t size() const { return parameters_.size(); }                   ///< how many there are

  /// Returns all indices in the given order, but with each parameter behind the one that it depends on.
  const std::vector<std::size_t>& order() const { return order_; }

  /// Makes a point: asks `value`, by index and in that order, for each parameter that is there.
  Point point(const std::function<double(std::size_t)>& value) const;

  Texts texts(const Point& point) const;  ///< as the program gets them
  /// Reads such texts. Throws Error(usage) where a value is missing, superfluous or not one of its
  /// parameter's.
  Point point(const Texts& texts) const;

 private:
  bool exists(std::size_t parameter, const Point& point) const;

  std::vector<Parameter> parameters_;
  std::vector<std::size_t> order_;
  std::vector<std::optional<std::size_t>> parent_;  // of each, what it depends on
  std::vector<std::vector<double>> parent_values_;  // with which of its values it is there
};

}  // namespace batchscope::sweep
