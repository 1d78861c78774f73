// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/run_history.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "batchscope/protocol/series.h"

namespace batchscope::common {
namespace {

namespace names = protocol::series;

constexpr int kLeast = 6;          // of a generation
constexpr double kInstant = 1e-3;  // s, too short to be drawn
constexpr double kUnmeasured = std::numeric_limits<double>::quiet_NaN();

// Returns the part of `most` that is the generation's share of all steps.
int shareOf(const RunSeries& series, const GenerationSpan& span, int most) {
  double all = 0;
  for (const GenerationSpan& each : series.generations())
    if (each.last > 0) all += static_cast<double>(each.last - each.first + 1);
  return std::max(kLeast, static_cast<int>(most * static_cast<double>(span.last - span.first + 1) / all));
}

// One series of a generation, asked for by ascending steps.
class Recorded {
 public:
  Recorded(RunSeries& series, const char* name, const GenerationSpan& span, int columns) {
    buckets_ = series.buckets(name, span.number, span.first, span.last, columns);
  }

  const std::vector<storage::Bucket>& buckets() const { return buckets_; }
  double at(std::int64_t step) {
    while (at_ + 1 < buckets_.size() && buckets_[at_].last_step < step) ++at_;
    if (at_ >= buckets_.size() || buckets_[at_].first_step > step) return kUnmeasured;
    return buckets_[at_].mean;
  }

 private:
  std::vector<storage::Bucket> buckets_;
  std::size_t at_ = 0;
};

// Every n-th, so that there are about `most`; what is in memory may be far more than was asked for.
std::vector<storage::Bucket> thinned(const std::vector<storage::Bucket>& buckets, int most) {
  std::vector<storage::Bucket> kept;
  const auto count = static_cast<std::size_t>(most);
  if (buckets.size() <= count) return buckets;
  for (std::size_t i = 0; i < count; ++i) {
    kept.push_back(buckets[(2 * i + 1) * buckets.size() / (2 * count)]);
  }
  return kept;
}

// Returns the sum, over these steps, of a series in seconds a step.
double sumOver(const std::vector<storage::Bucket>& buckets, std::int64_t from, std::int64_t to) {
  double sum = 0;
  auto bucket =
      std::lower_bound(buckets.begin(), buckets.end(), from,
                       [](const storage::Bucket& each, std::int64_t step) { return each.last_step < step; });
  for (; bucket != buckets.end() && bucket->first_step <= to; ++bucket) {
    if (!std::isfinite(bucket->mean)) continue;
    const auto first = std::max(bucket->first_step, from), last = std::min(bucket->last_step, to);
    sum += bucket->mean * static_cast<double>(bucket->count) * static_cast<double>(last - first + 1) /
           static_cast<double>(bucket->last_step - bucket->first_step + 1);
  }
  return sum;
}

}  // namespace

std::set<std::string> historySeries() {
  return {names::kBatchSize, names::kLearningRate, names::kGradSqr, names::kGradVar,
          names::kGoodput,   names::kStepTime,     names::kSyncTime};
}

std::vector<Moment> momentsOf(RunSeries& series, int most) {
  std::vector<Moment> moments;
  for (const GenerationSpan& span : series.generations()) {
    if (span.last == 0) continue;
    const int columns = shareOf(series, span, most);
    const Recorded batch(series, names::kBatchSize, span, columns);
    Recorded rate(series, names::kLearningRate, span, columns);
    Recorded sqr(series, names::kGradSqr, span, columns), var(series, names::kGradVar, span, columns);
    Recorded goodput(series, names::kGoodput, span, columns);
    for (const storage::Bucket& bucket : thinned(batch.buckets(), columns)) {
      // Where the batch size changed on the way there is none to name.
      if (bucket.min != bucket.max || bucket.last_step >= span.lostFrom) continue;
      const std::int64_t step = bucket.last_step;
      const StepRef at{span.number, step};
      moments.push_back({.generation = span.number,
                         .replicas = span.replicas,
                         .step = step,
                         .seconds = series.countAt(names::kTime, at).value_or(kUnmeasured),
                         .batch = bucket.mean,
                         .learningRate = rate.at(step),
                         .gradSqr = sqr.at(step),
                         .gradVar = var.at(step),
                         .goodput = goodput.at(step)});
    }
  }
  return moments;
}

std::vector<Slice> slicesOf(RunSeries& series, int most) {
  std::vector<Slice> slices;
  for (const GenerationSpan& span : series.generations()) {
    if (span.last == 0) continue;
    // Work between the last step and the pause, such as a validation, was not part of the pause.
    if (!slices.empty() && span.pause >= 0) {
      const Slice& before = slices.back();
      const double began =
          series.countAt(names::kTime, {span.number, span.first}).value_or(before.to) - span.pause;
      if (began > before.to + kInstant)
        slices.push_back({before.generation, before.replicas, before.to, began, 0, 0, before.isLost});
    }
    const auto columns =
        static_cast<int>(std::min<std::int64_t>(shareOf(series, span, most), span.last - span.first + 1));
    const Recorded steps(series, names::kStepTime, span, columns),
        syncs(series, names::kSyncTime, span, columns);
    const StepMap clock = series.count(names::kTime, span.number);
    // The time of a step is its end: what is before the first is not known.
    std::int64_t first = span.first;
    for (int column = 1; column <= columns; ++column) {
      const std::int64_t last = span.first + (span.last - span.first) * column / columns;
      if (last <= first) continue;
      const double from = clock.at(static_cast<double>(first)), to = clock.at(static_cast<double>(last));
      if (to > from) {
        const double step = std::min(1.0, sumOver(steps.buckets(), first + 1, last) / (to - from));
        const double sync = std::min(step, sumOver(syncs.buckets(), first + 1, last) / (to - from));
        slices.push_back({span.number, span.replicas, from, to, step - sync, sync, last >= span.lostFrom});
      }
      first = last;
    }
  }
  return slices;
}

}  // namespace batchscope::common
