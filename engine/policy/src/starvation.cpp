// SPDX-License-Identifier: Apache-2.0
#include "starvation.h"

#include <algorithm>
#include <numeric>

namespace batchscope::policy {

std::vector<bool> must_be_served(std::span<const Job> jobs, std::span<const Options> options,
                                 std::span<const int> capacity) {
  std::vector<bool> must(jobs.size());
  const int all = std::accumulate(capacity.begin(), capacity.end(), 0);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (!options[i].empty()) order.push_back(i);
  if (all == 0) return must;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return jobs[a].waited > jobs[b].waited; });

  const int last = (static_cast<int>(order.size()) + all - 1) / all;  // decisions in a row without devices
  long now = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const long further = std::max(0, last - jobs[order[i]].waited);
    now = std::max(now, static_cast<long>(i) + 1 - further * all);
  }
  std::vector<int> left(capacity.begin(), capacity.end());
  const auto room = [&](const Option& option) -> int& { return left[static_cast<std::size_t>(option.kind)]; };
  for (std::size_t i = 0; i < order.size() && now > 0; ++i) {
    const Option* least = nullptr;  // of the kind of which most are left
    for (const Option& option : options[order[i]])
      if (option.devices <= room(option) && (least == nullptr || room(option) > room(*least)))
        least = &option;
    if (least == nullptr) continue;
    room(*least) -= least->devices;
    must[order[i]] = true;
    --now;
  }
  return must;
}

}  // namespace batchscope::policy
