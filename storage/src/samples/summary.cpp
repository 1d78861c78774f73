// SPDX-License-Identifier: Apache-2.0
//
// Means are merged by their weights, m = m1 n1/n + m2 n2/n, which cannot overflow where a sum could.
#include "samples/summary.h"

#include <algorithm>
#include <cmath>

#include "batchscope/protocol/bytes.h"

namespace batchscope::storage {

using protocol::get, protocol::put;

void Summary::add(const Summary& next) {
  if (next.count == 0) return;
  if (count == 0) {
    *this = next;
    return;
  }
  last_step = next.last_step;
  count += next.count;
  if (next.finite == 0) return;
  if (finite == 0) {
    min = next.min;
    max = next.max;
    mean = next.mean;
  } else {
    const double total = static_cast<double>(finite) + next.finite;
    min = std::min(min, next.min);
    max = std::max(max, next.max);
    mean = mean * (finite / total) + next.mean * (next.finite / total);
  }
  finite += next.finite;
}

Summary summarize(std::span<const Sample> samples) {
  Summary summary;
  summary.first_step = samples.front().step;
  summary.last_step = samples.back().step;
  summary.count = static_cast<std::uint32_t>(samples.size());
  double sum = 0;
  for (const Sample& sample : samples) {
    if (!std::isfinite(sample.value)) continue;
    if (summary.finite++ == 0) summary.min = summary.max = sample.value;
    summary.min = std::min(summary.min, sample.value);
    summary.max = std::max(summary.max, sample.value);
    sum += sample.value;
  }
  if (summary.finite == 0) return summary;
  summary.mean = sum / summary.finite;
  if (!std::isfinite(sum)) {  // finite values whose sum is not: divide first
    summary.mean = 0;
    for (const Sample& sample : samples)
      if (std::isfinite(sample.value)) summary.mean += sample.value / summary.finite;
  }
  return summary;
}

Summary summarize(std::span<const Summary> summaries) {
  Summary whole;
  for (const Summary& summary : summaries) whole.add(summary);
  return whole;
}

void put_summary(std::string& bytes, const Summary& summary) {
  put(bytes, summary.first_step);
  put(bytes, summary.last_step);
  put(bytes, summary.count);
  put(bytes, summary.finite);
  put(bytes, summary.min);
  put(bytes, summary.max);
  put(bytes, summary.mean);
}

std::vector<Summary> get_summaries(std::string_view bytes) {
  std::vector<Summary> summaries(bytes.size() / kSummaryBytes);
  for (std::size_t i = 0, at = 0; i < summaries.size(); ++i, at += kSummaryBytes) {
    Summary& summary = summaries[i];
    summary.first_step = get<std::int64_t>(bytes, at);
    summary.last_step = get<std::int64_t>(bytes, at + 8);
    summary.count = get<std::uint32_t>(bytes, at + 16);
    summary.finite = get<std::uint32_t>(bytes, at + 20);
    summary.min = get<double>(bytes, at + 24);
    summary.max = get<double>(bytes, at + 32);
    summary.mean = get<double>(bytes, at + 40);
  }
  return summaries;
}

}  // namespace batchscope::storage
