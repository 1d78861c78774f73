// SPDX-License-Identifier: GPL-3.0-or-later
#include "queue/device_lanes.h"

#include <QObject>
#include <algorithm>
#include <limits>
#include <tuple>

#include "batchscope/run/node_devices.h"

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

// A node that is given away no more has its lanes from before.
QString headingOf(const std::string& name, const std::vector<common::NodeLane>& nodes, double now) {
  const auto node = std::ranges::find(nodes, name, &common::NodeLane::node);
  if (node != nodes.end())
    return QStringLiteral("%1 · %2").arg(common::nodeName(*node), common::nodeText(*node, now));
  return QObject::tr("%1 · not shared now").arg(common::nodeName({.node = name}));
}

// One that has no devices yet stands last.
std::vector<Lane> withHeadings(std::vector<Lane> lanes, const std::vector<common::NodeLane>& nodes,
                               double now) {
  std::vector<Lane> all;
  std::set<std::string> headed;
  const auto add = [&](const std::string& node) {
    if (headed.insert(node).second) all.push_back({{}, {}, headingOf(node, nodes, now)});
  };
  for (Lane& lane : lanes) {
    const std::string node = run::node_of_device(lane.device);
    add(node);
    if (!node.empty()) lane.label.remove(0, QString::fromStdString(node).size() + 1);
    all.push_back(std::move(lane));
  }
  for (const common::NodeLane& node : nodes) add(node.node);
  return all;
}

}  // namespace

std::vector<Lane> lanesOf(const std::vector<storage::LeaseEvent>& leases,
                          const std::map<std::string, std::vector<storage::Generation>>& generations,
                          const std::set<std::string>& more, const std::vector<common::NodeLane>& nodes,
                          double now) {
  std::map<std::string, std::vector<LaneBar>> bars;
  for (const std::string& device : more) bars[device];
  const bool areSeveral = common::areSeveral(nodes);
  if (areSeveral)
    for (const common::NodeLane& node : nodes)
      for (const common::HeldDevice& held : node.devices) bars[held.device];
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
  for (auto& [device, all] : bars) lanes.push_back({device, std::move(all), QString::fromStdString(device)});
  std::sort(lanes.begin(), lanes.end(),
            [](const Lane& a, const Lane& b) { return rank(a.device) < rank(b.device); });
  return areSeveral ? withHeadings(std::move(lanes), nodes, now) : lanes;
}

}  // namespace batchscope::desktop
