// SPDX-License-Identifier: Apache-2.0
//
// Counting loops.
#include "loops.h"

#include <algorithm>
#include <map>

namespace batchscope {
namespace {

std::map<int, int> counts;  // epoch -> loops so far
std::uint64_t entries = 0;

}  // namespace

double RunningLoop::fraction(double progress) const {
  const double done = progress_to > progress_from
                          ? (progress - progress_from) / (progress_to - progress_from)
                          : static_cast<double>(position) / static_cast<double>(dataset_size);
  return std::clamp(done, 0.0, 1.0);
}

std::optional<RunningLoop>& running_loop() {
  static std::optional<RunningLoop> loop;
  return loop;
}

int loop_position(int epoch) { return counts[epoch]; }

void count_loop(int epoch) { ++counts[epoch]; }

void enter_epoch(int epoch) {
  counts.erase(epoch);
  ++entries;
}

std::uint64_t epoch_entry() { return entries; }

}  // namespace batchscope
