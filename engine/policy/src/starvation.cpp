// SPDX-License-Identifier: Apache-2.0
#include "starvation.h"

#include <algorithm>
#include <numeric>

namespace batchscope::policy {

std::vector<bool> must_be_served(std::span<const Job> jobs, const std::vector<bool>& competing,
                                 std::span<const int> capacity) {
  std::vector<bool> must(jobs.size());
  const int all = std::accumulate(capacity.begin(), capacity.end(), 0);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (competing[i]) order.push_back(i);
  if (all == 0 || order.empty()) return must;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return jobs[a].waited > jobs[b].waited; });

  const int last = (static_cast<int>(order.size()) + all - 1) / all;  // decisions in a row without devices
  long now = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const long further = std::max(0, last - jobs[order[i]].waited);
    now = std::max(now, static_cast<long>(i) + 1 - further * all);
  }
  std::vector<int> left(capacity.begin(), capacity.end());
  for (std::size_t i = 0; i < order.size() && now > 0; ++i) {
    const auto roomiest = std::max_element(left.begin(), left.end());
    const int least = std::max(jobs[order[i]].min_replicas, 1);
    if (least > *roomiest) continue;
    *roomiest -= least;
    must[order[i]] = true;
    --now;
  }
  return must;
}

}  // namespace batchscope::policy
