// SPDX-License-Identifier: Apache-2.0
#include "batchscope/goodput/measured_noise.h"

#include <cmath>
#include <vector>

namespace batchscope::goodput {

std::optional<MeasuredNoise> measured_noise(std::span<const GradParams> estimates,
                                            std::int64_t initial_batch_size) {
  if (estimates.size() < 3) return std::nullopt;
  GradParams sum;
  for (const GradParams& one : estimates) sum = {sum.sqr + one.sqr, sum.var + one.var};
  const auto count = static_cast<double>(estimates.size()), batch = static_cast<double>(initial_batch_size);
  std::vector<double> without;  // each estimate in turn
  double mean = 0;
  for (const GradParams& one : estimates) {
    if (!(sum.sqr - one.sqr > 0)) return std::nullopt;
    mean += without.emplace_back(batch * (sum.var - one.var) / (sum.sqr - one.sqr)) / count;
  }
  double squares = 0;
  for (const double value : without) squares += (value - mean) * (value - mean);
  const MeasuredNoise measured{count * batch * sum.var / sum.sqr - (count - 1) * mean,
                               std::sqrt(squares * (count - 1) / count)};
  if (!(measured.standard_error < measured.noise_scale / 2)) return std::nullopt;
  return measured;
}

}  // namespace batchscope::goodput
