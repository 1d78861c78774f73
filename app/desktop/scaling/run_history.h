// SPDX-License-Identifier: GPL-3.0-or-later
//
// The history of a run at a bounded number of moments, however long it is: the charts of why it scaled are
// made of it. Steps that a restart threw back are not among them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "chart/series_model.h"

namespace batchscope::desktop {

struct Moment {
  int generation = 0, replicas = 0;
  std::int64_t step = 0;
  double seconds = 0;  // of wall time
  double batch = 0, learningRate = 0;
  double gradSqr = 0, gradVar = 0;
  double goodput = 0;  // measured, samples/s; NaN for what was not recorded
};

// The series that are read; want them first.
std::set<std::string> historySeries();

// Returns moments in their order; about `most`, and a few of every generation.
std::vector<Moment> momentsOf(SeriesModel& series, int most);

// A stretch of one generation: what share of the time went into computing and into waiting for other
// replicas; the rest is validation, loading, and whatever else happens between steps.
struct Slice {
  int generation = 0, replicas = 0;
  double from = 0, to = 0;  // s of wall time
  double compute = 0, sync = 0;
  bool isLost = false;  // a restored checkpoint undid it
};

std::vector<Slice> slicesOf(SeriesModel& series, int most);

}  // namespace batchscope::desktop
