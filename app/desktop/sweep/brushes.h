// SPDX-License-Identifier: GPL-3.0-or-later
//
// Brushing: on any axis a person marks a range, and only trials within all ranges are shown. A range that
// reaches an end of its axis has no bound there, so that it also holds later values beyond. On an axis with
// cells a range covers whole cells.
#pragma once

#include <QString>
#include <map>
#include <optional>
#include <vector>

#include "sweep/trial_axis.h"

namespace batchscope::desktop {

// Along an axis, 0 to 1.
struct Stretch {
  double low = 0, high = 1;
  bool operator==(const Stretch&) const = default;
};

class Brushes {
 public:
  bool isEmpty() const { return bounds_.empty(); }
  std::optional<Stretch> at(const TrialAxis& axis) const;
  void set(const TrialAxis& axis, Stretch stretch);
  void clear(const TrialAxis& axis) { bounds_.erase(axis.name); }
  void clear() { bounds_.clear(); }
  // Moves a brush as far as the axis goes; one that is not there yet begins as the half on that side.
  void move(const TrialAxis& axis, double by);
  void widen(const TrialAxis& axis, double by);  // below 0: narrow

  // Whether each trial lies within all of them. A trial without a value on an axis lies in no range of it.
  std::vector<bool> kept(const std::vector<TrialAxis>& axes, std::size_t trials) const;
  // Returns "lr 0.01 to 0.1" for each of these axes that has a brush.
  QStringList texts(const std::vector<TrialAxis>& axes) const;

 private:
  // Bounds in the axis' values.
  struct Bounds {
    double low, high;
  };
  std::map<QString, Bounds> bounds_;  // by the axis' name
};

}  // namespace batchscope::desktop
