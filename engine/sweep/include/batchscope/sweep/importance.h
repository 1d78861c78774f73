// SPDX-License-Identifier: Apache-2.0
/// \file
/// Measures which parameters matter for being among the best trials: PED-ANOVA (Watanabe, Bansal and Hutter,
/// IJCAI 2023). With p the density of a parameter's values over all trials and p_best that over the best
/// `share` of them, what the parameter alone explains of the variance of "is among the best" is
///
///     v = share^2 * integral over its axis of (p_best(x) / p(x) - 1)^2 p(x)
///
/// and its importance v over the sum of all v. A parameter whose values the best trials do not prefer has 0.
/// Where a parameter has few values, they are counted; the density of other values is a sum of normal kernels
/// of Scott's width, cut off at the ends of the axis, in cells. A parameter with a condition is looked at
/// among the trials that have it, and counts by their share of all trials. method.h says which trial is
/// better.
#pragma once

#include <span>
#include <vector>

#include "batchscope/sweep/trial.h"

namespace batchscope::sweep {

/// Returns the importance of each parameter of the space, 0 to 1, with the sum 1; all 0 where nothing is
/// known. `share` is above 0 and below 1; the best are five trials at least, or half of them. Takes a
/// millisecond for 1,000 trials and a parameter.
std::vector<double> importance(const Space& space, std::span<const Trial> trials, double share = 0.1);

}  // namespace batchscope::sweep
