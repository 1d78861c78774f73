// SPDX-License-Identifier: Apache-2.0
/// \file
/// The series of one run as figures read them, wherever they come from: the window has them in memory
/// (SeriesModel), a server asks the store (stored_series.h).
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "batchscope/common/step_map.h"
#include "batchscope/storage/catalogue.h"
#include "batchscope/storage/samples.h"

namespace batchscope::common {

/// A generation with the steps that it has samples of.
struct GenerationSpan {
  int number = 0;          ///< of the generation
  int replicas = 0;        ///< in it
  std::int64_t first = 0;  ///< step with samples; 0: none yet
  std::int64_t last = 0;   ///< the same
  /// Steps from here on were lost: a later generation resumed before them.
  std::int64_t lostFrom = std::numeric_limits<std::int64_t>::max();
  std::string reason;                   ///< why it began
  double pause = -1;                    ///< before it, s; negative: unknown
  std::map<std::string, double> parts;  ///< of the pause, s
};

/// A step of one generation: after a restart from an older checkpoint, a step alone is ambiguous.
struct StepRef {
  int generation = 0;                               ///< number
  std::int64_t step = 0;                            ///< optimizer steps done
  bool operator==(const StepRef&) const = default;  ///< the same step
};

/// Returns the first and the last step of which a generation has samples; none: there are none yet.
using StepsOf = std::function<std::optional<std::pair<std::int64_t, std::int64_t>>(int generation)>;
/// Returns the spans of these generations, in their order.
std::vector<GenerationSpan> spansOf(const std::vector<storage::Generation>& generations,
                                    const StepsOf& stepsOf);

/// See above.
class RunSeries {
 public:
  virtual ~RunSeries() = default;

  /// Returns the generations in their order.
  virtual const std::vector<GenerationSpan>& generations() const = 0;
  /// Returns the map from a generation's steps to a recorded series that only grows (protocol/series.h):
  /// time, in s of the run's clock, epoch, samples or progress. Valid until more is read.
  virtual StepMap count(const std::string& series, int generation) const = 0;
  /// Returns buckets over the steps [from, to], fine enough for so many columns; there may be more.
  virtual std::vector<storage::Bucket> buckets(const std::string& series, int generation, std::int64_t from,
                                               std::int64_t to, int columns) = 0;

  /// Returns the generation of this number; null: there is none.
  const GenerationSpan* generation(int number) const;
  /// Returns the value of such a count at the step; none where it is not known.
  std::optional<double> countAt(const std::string& series, const StepRef& at) const;
};

}  // namespace batchscope::common
