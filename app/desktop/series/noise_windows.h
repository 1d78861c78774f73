// SPDX-License-Identifier: GPL-3.0-or-later
//
// A noisy series as its middle and the band around it: of every window of consecutive steps the median and
// the 10 % and 90 % quantiles. Windows begin at multiples of their length from a stretch's first step, so
// that neither a newer sample nor a pan changes one that is complete; those are computed once.
//
// Where single samples are known, these are their quantiles. A bucket of n samples stands for a normal
// distribution with its mean and the standard deviation that its range suggests, (max - min) / d2(n) (Tippett
// 1925), cut at its extremes; of that its five middle quantiles are taken, so the window's are estimates.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "series/track.h"

namespace batchscope::desktop {

struct NoiseWindow {
  std::int64_t first = 0, last = 0;  // steps with samples
  std::int64_t samples = 0;          // 0: none is finite, and the rest says nothing
  double low = 0, middle = 0, high = 0;
  bool isEstimate = false;
};

// The shortest length of 1, 1.5, 2, 3, 4, 6, 8 .. steps that is at least this: few of them, so that zooming
// and growing do not ask for new windows all the time.
std::int64_t windowLength(double atLeast);

NoiseWindow noiseOf(std::span<const Bucket> buckets);

// The steps [first, last] of a generation; the last may not have come yet. The steps from `from` to `to` are
// in view.
struct NoiseStretch {
  std::string series;
  int generation = 0;
  std::int64_t first = 0, last = 0;
  std::int64_t from = 0, to = 0;
};

class NoiseWindows {
 public:
  static constexpr std::size_t kMostRuns = 1024;  // that are kept; those not asked for the longest go first

  // Reads buckets over the steps, fine enough for so many columns.
  using Read = std::function<std::span<const Bucket>(std::int64_t from, std::int64_t to, int columns)>;

  // Valid until the next call. `newest`: the last step that has a sample by now.
  std::span<const NoiseWindow> view(const NoiseStretch& stretch, std::int64_t length, std::int64_t newest,
                                    const Read& read);

 private:
  struct Key {
    std::string series;
    int generation;
    std::int64_t first, last, length;
    auto operator<=>(const Key&) const = default;
  };
  struct Run {
    std::int64_t begin = 0;            // which window is the first of those kept
    std::vector<NoiseWindow> windows;  // that are complete, and one that is not
    std::int64_t complete = 0;
    std::uint64_t seen = 0;  // when it was last asked for, in views
  };
  std::map<Key, Run> runs_;
  std::uint64_t views_ = 0;
};

}  // namespace batchscope::desktop
