// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which point is tried next. Every method is a function of the space, of the trials so far and of a seed,
/// and of nothing else: a sweep that was killed goes on from the catalogue as though it had not been.
///
///     grid      all combinations in turn, the last parameter the fastest; then it is at its end
///     random    each value evenly on its parameter's axis (Bergstra and Bengio, JMLR 2012)
///     sobol     the same from a Sobol sequence, which leaves no region out (Joe and Kuo, SISC 2008), its
///               digits flipped by the seed
///     tpe       the tree-structured Parzen estimator (Bergstra et al., NeurIPS 2011), of all parameters
///               together: trials are split into the best tenth, 25 at most, and the others; of 24 points
///               drawn from the density l of the best, the one with the greatest l(x) / g(x) is taken, g
///               being the others' density (src/method/parzen.h). The first 10 points are those of `sobol`;
///               one that was tried before is drawn again, up to ten times.
///
/// For `tpe`, a trial that came further is better than one that did not, as in Optuna, and one that diverged
/// is the worst. A trial that runs and has no value yet counts among the others, so that trials side by side
/// do not gather at one point (the constant liar of Ginsbourger et al., 2010). A trial that failed does not
/// count.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "batchscope/sweep/trial.h"

namespace batchscope::sweep {

/// See above.
enum class Method { grid, random, sobol, tpe };

/// Returns the point of trial number trials.size(); none: the grid is at its end. Takes a few milliseconds at
/// 1,000 trials. Throws Error(usage) for a grid over endlessly many values.
std::optional<Point> suggest(Method method, const Space& space, std::span<const Trial> trials,
                             std::uint64_t seed);

/// Returns the number of points of a grid, at most kLargestGrid. Throws Error(usage) naming a parameter that
/// has endlessly many values.
std::size_t grid_size(const Space& space);

inline constexpr std::size_t kLargestGrid = 100'000;  ///< beyond that nobody counts

}  // namespace batchscope::sweep
