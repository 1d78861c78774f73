// SPDX-License-Identifier: Apache-2.0
/// \file
/// The critical batch size from branches of one checkpoint (Merrill et al. 2025, arXiv 2505.23971): the
/// largest batch size whose loss, after training over the same samples, is within a tolerance of that of the
/// smallest. Nothing is assumed of the noise.
///
/// A branch's smoothed loss is the mean over the last quarter of its samples. As all branches saw the same
/// samples in the same order, most of the scatter is common to them, so two are compared sample by sample:
/// the quarter is cut into n blocks of at least one step of the larger size, and of the differences d_i of
/// the blocks' means
///
///     excess = mean d_i           error = sqrt(sum (d_i - mean d)^2 / (n (n - 1)))
///
/// A size is within the tolerance where excess + t error is, above it where excess - t error is, t being
/// Student's for 95 % of what chance does; in between it cannot be told.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace batchscope::goodput {

/// The share of the smallest size's loss that another may lie above it.
inline constexpr double kTolerance = 0.01;

/// A step of a branch.
struct BranchStep {
  double samples = 0;  ///< of the step
  double loss = 0;     ///< mean over them; NaN, where it diverged
};

/// A branch as it trained.
struct BranchCurve {
  std::int64_t batch_size = 1;    ///< samples
  std::vector<BranchStep> steps;  ///< in their order, over as many samples as the other branches
};

/// The place of a batch size.
enum class BranchVerdict {
  within,  ///< its loss is within the tolerance
  above,   ///< its loss is above it, or not finite
  unclear  ///< the error is too large to tell
};

/// A branch's loss, beside the smallest batch size's.
struct BranchLoss {
  std::int64_t batch_size = 1;                    ///< samples
  double loss = 0;                                ///< smoothed
  double error = 0;                               ///< its standard error
  double excess = 0;                              ///< above the smallest size's
  double excess_error = 0;                        ///< standard error of the difference
  BranchVerdict verdict = BranchVerdict::within;  ///< the smallest size's is `within`
};

/// The critical batch size, as far as the branches tell.
struct CriticalBatchSize {
  std::vector<BranchLoss> branches;   ///< by batch size
  double tolerance = 0;               ///< in units of the loss
  std::int64_t at_least = 1;          ///< the largest size that is within, of those below `below`
  std::optional<std::int64_t> below;  ///< the smallest size that is above; none: none is
  bool open = false;                  ///< of a size between the two, or above, it cannot be told

  /// Returns at_least, where the next larger branch is above the tolerance and a smaller one than at_least
  /// confirms that it is not the first that is; else nullopt, and the two bounds are all that is known.
  std::optional<std::int64_t> size() const;
};

/// Standard errors to either side of a mean of n values that hold 95 % of what chance does, Student's; n
/// >= 2.
double student_95(int n);

/// Judges two branches or more of different sizes, in any order. The tolerance is a share of the smallest
/// size's loss; none: kTolerance, or the loss's own standard error where that is larger, as training on other
/// samples would change the loss by as much. nullopt where that loss is not finite, or there are fewer
/// branches.
std::optional<CriticalBatchSize> critical_batch_size(std::vector<BranchCurve> curves,
                                                     std::optional<double> tolerance = std::nullopt);

}  // namespace batchscope::goodput
