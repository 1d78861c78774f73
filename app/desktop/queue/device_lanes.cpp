// SPDX-License-Identifier: GPL-3.0-or-later
#include "queue/device_lanes.h"

#include <QString>
#include <algorithm>
#include <limits>
#include <tuple>

namespace batchscope::desktop {
namespace {

// A restart and the leases that it came with are written one after the other.
constexpr double kSameMoment = 1;  // s

// This machine's before those of other nodes ("n2/cuda:0"), GPUs before cores, and 2 before 10; one that goes
// by no number last.
auto rank(const std::string& device) {
  bool isNumber = false;
  const QString whole = QString::fromStdString(device), name = whole.section(QLatin1Char('/'), -1);
  const int number = name.section(QLatin1Char(':'), 1).toInt(&isNumber);
  return std::tuple(whole.chopped(name.size()), name.startsWith(QLatin1String("cpu")),
                    isNumber ? number : std::numeric_limits<int>::max(), device);
}

}  // namespace

std::vector<Lane> lanesOf(const std::vector<storage::LeaseEvent>& leases,
                          const std::map<std::string, std::vector<storage::Generation>>& generations,
                          const std::set<std::string>& more) {
  std::map<std::string, std::vector<LaneBar>> bars;
  for (const std::string& device : more) bars[device];
  for (const storage::LeaseEvent& lease : leases) {
    LaneBar bar{lease, {}};
    if (const auto found = generations.find(lease.run); found != generations.end()) {
      for (const storage::Generation& generation : found->second) {
        if (generation.number > 0 && generation.started > lease.since + kSameMoment &&
            (lease.until <= 0 || generation.started < lease.until))
          bar.restarts.push_back(
              {generation.started, generation.number, generation.replicas, generation.reason});
      }
    }
    bars[lease.device].push_back(std::move(bar));
  }
  std::vector<Lane> lanes;
  for (auto& [device, all] : bars) lanes.push_back({device, std::move(all)});
  std::sort(lanes.begin(), lanes.end(),
            [](const Lane& a, const Lane& b) { return rank(a.device) < rank(b.device); });
  return lanes;
}

}  // namespace batchscope::desktop
