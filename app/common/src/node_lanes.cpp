// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/node_lanes.h"

#include <QStringList>
#include <algorithm>
#include <map>

#include "batchscope/common/number_text.h"
#include "batchscope/common/translate.h"
#include "batchscope/run/machine.h"
#include "batchscope/run/node_devices.h"
#include "batchscope/run/pool.h"
#include "batchscope/storage/record_json.h"

namespace batchscope::common {
namespace {

using protocol::Json;

// "2 of 3 cores"; empty where there are none.
QString useText(const NodeLane& lane, bool areGpus) {
  int all = 0, used = 0;
  for (const HeldDevice& held : lane.devices) {
    if (run::is_gpu(held.device) != areGpus) continue;
    ++all;
    if (!held.run.empty()) ++used;
  }
  if (all == 0) return {};
  if (areGpus) return all == 1 ? tr("%1 of 1 GPU").arg(used) : tr("%1 of %2 GPUs").arg(used).arg(all);
  return all == 1 ? tr("%1 of 1 core").arg(used) : tr("%1 of %2 cores").arg(used).arg(all);
}

std::string nameOnNode(const std::string& device) { return device.substr(device.find('/') + 1); }

}  // namespace

std::vector<NodeLane> nodeLanes(storage::Catalogue& catalogue) {
  std::map<std::string, storage::Lease> holders;
  for (storage::Lease& lease : catalogue.leases()) holders.try_emplace(lease.device, lease);
  const auto add = [&](NodeLane& lane, const std::vector<std::string>& devices) {
    for (const std::string& device : devices) {
      HeldDevice held{lane.node.empty() ? device : lane.node + "/" + device};
      if (const auto holder = holders.find(held.device); holder != holders.end()) {
        held.run = holder->second.run;
        held.name = holder->second.name;
      }
      lane.devices.push_back(std::move(held));
    }
  };
  std::vector<NodeLane> lanes;
  if (catalogue.pool_settings().here) {
    const run::Machine here = run::Machine::here();
    add(lanes.emplace_back(), here.gpus);
    add(lanes.back(), here.cores);
  }
  for (const protocol::PoolNode& node : run::pool_nodes(catalogue)) {
    NodeLane& lane = lanes.emplace_back(NodeLane{node.name, node.there, node.since, node.why});
    add(lane, node.gpus);
    add(lane, node.cores);
  }
  return lanes;
}

bool areSeveral(const std::vector<NodeLane>& lanes) {
  return std::ranges::any_of(lanes, [](const NodeLane& lane) { return !lane.node.empty(); });
}

QString nodeName(const NodeLane& lane) {
  return lane.node.empty() ? tr("here") : QString::fromStdString(lane.node);
}

QString nodeText(const NodeLane& lane, double now) {
  if (!lane.there && lane.why.empty()) return tr("is being looked for");
  if (!lane.there)
    return tr("not there for %1: %2").arg(formatDuration(now - lane.since), QString::fromStdString(lane.why));
  QStringList parts{useText(lane, true), useText(lane, false)};
  parts.removeAll(QString());
  return tr("%1 in use").arg(parts.join(QStringLiteral(", ")));
}

QString nodeRunsText(const NodeLane& lane) {
  std::vector<std::pair<std::string, std::vector<std::string>>> runs;  // by their ids, as they come
  std::map<std::string, std::string> names;
  for (const HeldDevice& held : lane.devices) {
    if (held.run.empty()) continue;
    names[held.run] = held.name;
    auto run = std::ranges::find(runs, held.run, [](const auto& one) { return one.first; });
    if (run == runs.end()) run = runs.insert(runs.end(), {held.run, {}});
    run->second.push_back(nameOnNode(held.device));
  }
  QStringList texts;
  for (const auto& [run, devices] : runs)
    texts << QString::fromStdString(names[run] + " " + run::device_list(devices));
  return texts.join(QStringLiteral(", "));
}

Json nodeLanesJson(const std::vector<NodeLane>& lanes) {
  Json nodes = Json::array();
  for (const NodeLane& lane : lanes) {
    Json devices = Json::array();
    for (const auto& [device, run, name] : lane.devices)
      devices.push_back({{"device", device},
                         {"run", run.empty() ? Json() : Json(run)},
                         {"name", run.empty() ? Json() : Json(name)}});
    nodes.push_back({{"node", lane.node.empty() ? Json() : Json(lane.node)},
                     {"there", lane.there},
                     {"since", storage::field_json(lane.since, storage::Meaning::time)},
                     {"why", lane.why},
                     {"devices", devices}});
  }
  return nodes;
}

}  // namespace batchscope::common
