// SPDX-License-Identifier: Apache-2.0
/// \file
/// Fits PerfParams to measured step times: minimises the root mean square error of the logarithms of
/// accumulation and optimizer step times, each row by its weight, plus AdaptDL's regularisers (goodput.py,
/// fit_perf_params), by NLopt's L-BFGS with the six alphas and betas as logarithms, gamma in [1, 10], the
/// core exponent in [0, 1] and the contention in [0, 3]. Parameters that the profile cannot tell are fixed as
/// in AdaptDL; the core exponent and the core overhead are 0 where all rows have the same number of cores.
/// One local batch size on two numbers of cores does not tell these two apart: the exponent explains what the
/// more cores win, or the overhead what they lose. The contention is the first guess where all rows have the
/// same number of neighbours, and is drawn to it a little otherwise; alpha_r is its first guess where no row
/// has several replicas on one node. Both guesses are 0 where nothing is known of the machine. Old rows that
/// the fit is far from lose weight, and the fit is made again: a machine that others use, too, is another
/// machine than before.
#pragma once

#include <span>

#include "batchscope/goodput/model.h"
#include "batchscope/goodput/profile_row.h"

namespace batchscope::goodput {

/// Guesses at what a lone replica cannot know of several on one machine, as other runs have shown it there.
struct FirstGuess {
  double contention = 0;  ///< kappa, 0 to kMostContention
  double sync = 0;        ///< s, alpha_r; 0: unknown
};
inline constexpr double kMostContention = 3;  ///< the largest that fit finds

/// Returns the parameters that explain the rows best; takes about 0.5 ms for 20 rows. Their `update` is 0: it
/// is measured, and not in the rows. Throws std::invalid_argument for no rows, a row with times, counts or a
/// weight that are not positive and finite or an age outside 0 to 1, or a guess that is out of its range.
PerfParams fit(std::span<const ProfileRow> rows, const FirstGuess& guess = {});

/// Returns how far the rows' step times are from the model's: the root mean square of the logarithm of their
/// ratio, each row by its weight. The rows are as fit takes them; NaN for no rows.
double fit_residual(const PerfParams& perf, std::span<const ProfileRow> rows);

/// Returns the objective that fit minimises, for rows as fit takes them, whatever their age. It has no unit,
/// as its times are logarithms. For tests and for showing the error of a model.
double fit_objective(const PerfParams& perf, std::span<const ProfileRow> rows);

}  // namespace batchscope::goodput
