// SPDX-License-Identifier: Apache-2.0
//
// The fastest number of cores of a lone replica, found by trials: four steps in a row with half of the cores
// that it keeps, with twice as many, or with one, in turn. The first step of a trial warms up; the median of
// the others is compared with that of the last steps before. What is faster by 5 % is kept from then on. The
// first trial comes after twenty steps, or after five where they take more than a second.
//
// The next trial is due as soon as this one costs less than 0.5 % of the time since, and a second later at
// the earliest. So a machine that another process slows is noticed within a second where more cores lose by
// it, and cores that would lose much are tried seldom.
#pragma once

#include <vector>

#include "adapt/batch_shape.h"

namespace batchscope::replica {

class CoreTrials {
 public:
  explicit CoreTrials(int all) : all_(all), own_(all) {}  // 0: none

  int next() const { return trial_ > 0 ? trial_ : own_; }  // of the step that follows
  int own() const { return own_; }

  // A step of this shape with next() cores has taken so many seconds and ended now, monotonic. Steps of
  // another shape than the last end a trial.
  void took(const BatchShape& shape, double seconds, double now);

 private:
  int candidate();
  void decide(double now);

  int all_, own_;
  int trial_ = 0;  // cores; 0: none
  int turn_ = 0;   // of the three kinds
  double due_ = 0;
  BatchShape shape_;
  std::vector<double> before_, during_;  // s
};

}  // namespace batchscope::replica
