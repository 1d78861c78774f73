// SPDX-License-Identifier: Apache-2.0
/// \file
/// The history of a run at a bounded number of moments, however long it is: the figures of why it scaled are
/// made of it. Steps that a restart threw back are not among its moments.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "batchscope/common/run_series.h"

namespace batchscope::common {

/// A step of a run, and what was measured around it; NaN for what was not recorded.
struct Moment {
  int generation = 0;       ///< number
  int replicas = 0;         ///< in it
  std::int64_t step = 0;    ///< optimizer steps done
  double seconds = 0;       ///< of the run's clock
  double batch = 0;         ///< size, samples
  double learningRate = 0;  ///< as trained
  double gradSqr = 0;       ///< squared norm of the gradient
  double gradVar = 0;       ///< variance of the gradient
  double goodput = 0;       ///< measured, samples/s
};

/// Returns the series that are read; a SeriesModel has to want them first.
std::set<std::string> historySeries();

/// Returns moments in their order; about `most`, and a few of every generation. Throws as the series.
std::vector<Moment> momentsOf(RunSeries& series, int most);

/// A stretch of one generation: what share of the time went into computing and into waiting for other
/// replicas. The rest is validation, loading, and whatever else happens between steps.
struct Slice {
  int generation = 0;   ///< number
  int replicas = 0;     ///< in it
  double from = 0;      ///< s of the run's clock
  double to = 0;        ///< the same
  double compute = 0;   ///< share of the time, 0 to 1
  double sync = 0;      ///< the same, waiting for other replicas
  bool isLost = false;  ///< a restored checkpoint undid it
};

/// Returns about `most` slices in their order. Throws as the series.
std::vector<Slice> slicesOf(RunSeries& series, int most);

}  // namespace batchscope::common
