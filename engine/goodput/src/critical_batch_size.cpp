// SPDX-License-Identifier: Apache-2.0
#include "batchscope/goodput/critical_batch_size.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace batchscope::goodput {
namespace {

constexpr double kLastShare = 0.25;  // of the samples, over which a loss is smoothed
constexpr int kMostBlocks = 32;      // shorter ones are less independent of one another
constexpr int kFewestBlocks = 3;
constexpr double kNever = std::numeric_limits<double>::infinity();

double samples_of(const BranchCurve& curve) {
  double sum = 0;
  for (const BranchStep& step : curve.steps) sum += step.samples;
  return sum;
}

// Returns the means of the loss in `blocks` blocks of equal length, which end with the branch and together
// are `window` samples long. A step that lies in two of them counts in each with its share.
std::vector<double> block_means(const BranchCurve& curve, double window, int blocks) {
  const double length = window / blocks;
  std::vector<double> means(static_cast<std::size_t>(blocks), 0.0);
  double end = 0;  // of a step, samples before the branch's end
  for (auto step = curve.steps.rbegin(); step != curve.steps.rend() && end < window; ++step) {
    const double begin = end + step->samples;
    for (int block = static_cast<int>(end / length); block < blocks; ++block) {
      const double shared = std::min(begin, (block + 1) * length) - std::max(end, block * length);
      if (shared > 0) means.at(static_cast<std::size_t>(block)) += shared / length * step->loss;
    }
    end = begin;
  }
  return means;
}

struct Mean {
  double value = 0, error = 0;
};

Mean mean_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  Mean mean;
  for (const double value : values) mean.value += value / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean.value) * (value - mean.value);
  mean.error = values.size() < kFewestBlocks ? kNever : std::sqrt(squares / (count * (count - 1)));
  return mean;
}

int blocks_in(double window, std::int64_t batch_size) {
  return std::clamp(static_cast<int>(window / static_cast<double>(batch_size)), 1, kMostBlocks);
}

BranchVerdict verdict_of(const Mean& excess, int blocks, double tolerance) {
  if (!std::isfinite(excess.value)) return BranchVerdict::above;
  if (blocks < kFewestBlocks) return BranchVerdict::unclear;
  const double reach = student_95(blocks) * excess.error;
  if (excess.value + reach <= tolerance) return BranchVerdict::within;
  return excess.value - reach > tolerance ? BranchVerdict::above : BranchVerdict::unclear;
}

}  // namespace

// Cornish and Fisher's expansion of the quantile around the normal distribution's, right to 1 % from n = 4
// on.
double student_95(int n) {
  constexpr double z = 1.959964, z2 = z * z;
  const double freedom = std::max(1, n - 1);
  return z * (1 + (z2 + 1) / (4 * freedom) + (5 * z2 * z2 + 16 * z2 + 3) / (96 * freedom * freedom) +
              (3 * z2 * z2 * z2 + 19 * z2 * z2 + 17 * z2 - 15) / (384 * freedom * freedom * freedom));
}

std::optional<std::int64_t> CriticalBatchSize::size() const {
  if (!below || open || at_least == branches.front().batch_size) return std::nullopt;
  return at_least;
}

std::optional<CriticalBatchSize> critical_batch_size(std::vector<BranchCurve> curves,
                                                     std::optional<double> tolerance) {
  if (curves.size() < 2) return std::nullopt;
  std::ranges::sort(curves, {}, &BranchCurve::batch_size);
  double samples = kNever;
  for (const BranchCurve& curve : curves) samples = std::min(samples, samples_of(curve));
  const double window = kLastShare * samples;

  CriticalBatchSize critical;
  const BranchCurve& smallest = curves.front();
  for (const BranchCurve& curve : curves) {
    const int blocks = blocks_in(window, curve.batch_size);
    std::vector<double> means = block_means(curve, window, blocks);
    const Mean own = mean_of(means);
    if (critical.branches.empty()) {
      if (!std::isfinite(own.value)) return std::nullopt;
      critical.tolerance = tolerance.value_or(kTolerance) * std::abs(own.value);
      if (!tolerance && std::isfinite(own.error))
        critical.tolerance = std::max(critical.tolerance, own.error);
      critical.branches.push_back({curve.batch_size, own.value, own.error, 0, 0, BranchVerdict::within});
      continue;
    }
    const std::vector<double> least = block_means(smallest, window, blocks);
    for (std::size_t block = 0; block < means.size(); ++block) means[block] -= least[block];
    const Mean excess = mean_of(means);
    critical.branches.push_back({curve.batch_size, own.value, own.error, excess.value, excess.error,
                                 verdict_of(excess, blocks, critical.tolerance)});
  }

  for (const BranchLoss& branch : critical.branches) {
    if (branch.verdict == BranchVerdict::above) {
      critical.below = branch.batch_size;
      break;
    }
    if (branch.verdict == BranchVerdict::within) critical.at_least = branch.batch_size;
    critical.open = branch.verdict == BranchVerdict::unclear;
  }
  return critical;
}

}  // namespace batchscope::goodput
