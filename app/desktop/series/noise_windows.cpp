// SPDX-License-Identifier: GPL-3.0-or-later
#include "series/noise_windows.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "batchscope/common/quantile.h"

namespace batchscope::desktop {
namespace {

constexpr int kColumns = 16;  // buckets that a window is to have at the least, where they can be had

// Medians of the fifths of a standard normal distribution.
constexpr std::array kMiddles{-1.2816, -0.5244, 0.0, 0.5244, 1.2816};
// The expected range of 2, 4, 8 .. values with standard deviation 1.
constexpr std::array kRanges{1.128, 2.059, 2.847, 3.532, 4.139, 4.687, 5.189,
                             5.654, 6.088, 6.496, 6.884, 7.252, 7.605, 7.943};

double deviation(const Bucket& bucket) {
  const double place = std::log2(static_cast<double>(bucket.count)) - 1;
  const auto below = std::min(static_cast<std::size_t>(place), kRanges.size() - 2);
  const double range =
      std::lerp(kRanges[below], kRanges[below + 1], std::min(place - static_cast<double>(below), 1.0));
  return (bucket.max - bucket.min) / range;
}

}  // namespace

std::int64_t windowLength(double atLeast) {
  std::int64_t length = 1;
  while (static_cast<double>(length) < atLeast) {
    if (length > 1 && static_cast<double>(length) * 1.5 >= atLeast) return length + length / 2;
    length *= 2;
  }
  return length;
}

NoiseWindow noiseOf(std::span<const Bucket> buckets) {
  NoiseWindow window;
  std::vector<double> values;
  values.reserve(buckets.size());
  for (const Bucket& bucket : buckets) {
    if (std::isnan(bucket.mean)) continue;
    if (window.samples == 0) window.first = bucket.first_step;
    window.last = bucket.last_step;
    window.samples += bucket.count;
    if (bucket.count <= 1 || bucket.min == bucket.max) {
      values.push_back(bucket.mean);
      continue;
    }
    window.isEstimate = true;
    const double sigma = deviation(bucket);
    for (const double middle : kMiddles)
      values.push_back(std::clamp(bucket.mean + sigma * middle, bucket.min, bucket.max));
  }
  if (values.empty()) return window;
  window.low = common::quantile(values, 0.1);
  window.middle = common::quantile(values, 0.5);
  window.high = common::quantile(values, 0.9);
  return window;
}

std::span<const NoiseWindow> NoiseWindows::view(const NoiseStretch& stretch, std::int64_t length,
                                                std::int64_t newest, const Read& read) {
  const auto indexOf = [&](std::int64_t step) { return (step - stretch.first) / length; };
  const std::int64_t begin = indexOf(stretch.from), end = indexOf(stretch.to) + 1;
  const auto [place, isNew] =
      runs_.try_emplace(Key{stretch.series, stretch.generation, stretch.first, stretch.last, length});
  Run& run = place->second;
  run.seen = ++views_;
  if (isNew && runs_.size() > kMostRuns)
    runs_.erase(std::min_element(runs_.begin(), runs_.end(),
                                 [](const auto& a, const auto& b) { return a.second.seen < b.second.seen; }));
  if (begin < run.begin || begin > run.begin + run.complete) run = {begin, {}, 0};
  // The last window was not complete, but there may be nothing new for it, such as where another chart draws
  // the same series.
  const bool isUpToDate = !run.windows.empty() && run.windows.back().last == newest &&
                          run.begin + static_cast<std::int64_t>(run.windows.size()) >= end;
  if (!isUpToDate) run.windows.resize(static_cast<std::size_t>(run.complete));
  const std::int64_t known = run.begin + run.complete;
  if (known < end && !isUpToDate) {
    const std::int64_t from = stretch.first + known * length;
    const std::int64_t to = std::min(stretch.last, stretch.first + end * length - 1);
    const auto buckets = read(from, to, static_cast<int>((end - known) * kColumns));
    auto bucket = buckets.begin();
    while (bucket != buckets.end() && bucket->first_step < from) ++bucket;
    for (std::int64_t index = known; index < end; ++index) {
      const std::int64_t next = stretch.first + (index + 1) * length;
      auto last = bucket;
      while (last != buckets.end() && last->first_step < next) ++last;
      run.windows.push_back(noiseOf({bucket, last}));
      bucket = last;
      if (next <= newest) run.complete = index + 1 - run.begin;
    }
  }
  const auto at = static_cast<std::size_t>(begin - run.begin);
  return std::span(run.windows)
      .subspan(at, std::min(static_cast<std::size_t>(end - begin), run.windows.size() - at));
}

}  // namespace batchscope::desktop
