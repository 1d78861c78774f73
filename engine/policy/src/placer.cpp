// SPDX-License-Identifier: Apache-2.0
#include "placer.h"

#include <algorithm>
#include <optional>

namespace batchscope::policy {
namespace {

class Floor {
 public:
  explicit Floor(const Cluster& cluster) : cluster_(cluster), spread_(cluster.size()) {
    for (const Node& node : cluster) free_.push_back(node.devices);
  }

  int free(int node) const { return free_[static_cast<std::size_t>(node)]; }

  bool holds(const Placement& placement) const {
    return std::all_of(placement.begin(), placement.end(), [&](const Share& share) {
      const auto node = static_cast<std::size_t>(share.node);
      return node < free_.size() && share.devices <= free_[node] && !(placement.size() > 1 && spread_[node]);
    });
  }

  void give(const Placement& placement) {
    for (const Share& share : placement) free_[static_cast<std::size_t>(share.node)] += share.devices;
  }

  void take(const Placement& placement) {
    for (const Share& share : placement) {
      const auto node = static_cast<std::size_t>(share.node);
      free_[node] -= share.devices;
      if (placement.size() > 1) spread_[node] = true;
    }
  }

  // On as few nodes as there are to be had; `sharing`: also on those of another job on several nodes.
  std::optional<Placement> find(int kind, int devices, bool sharing) const {
    if (const int node = tightest(kind, devices, true); node >= 0) return Placement{{node, devices}};
    std::vector<int> nodes;
    for (int node = 0; node < static_cast<int>(free_.size()); ++node)
      if (free(node) > 0 && cluster_[static_cast<std::size_t>(node)].kind == kind &&
          (sharing || !spread_[static_cast<std::size_t>(node)]))
        nodes.push_back(node);
    std::stable_sort(nodes.begin(), nodes.end(), [&](int a, int b) { return free(a) > free(b); });
    Placement placement;
    for (const int node : nodes) {
      if (free(node) >= devices) break;
      placement.push_back({node, free(node)});
      devices -= free(node);
    }
    if (devices > 0) {
      const int node = tightest(kind, devices, sharing, placement);
      if (node < 0) return std::nullopt;
      placement.push_back({node, devices});
    }
    return placement;
  }

 private:
  // The node with the fewest free devices that are enough; -1: none.
  int tightest(int kind, int devices, bool sharing, const Placement& without = {}) const {
    int best = -1;
    for (int node = 0; node < static_cast<int>(free_.size()); ++node) {
      const auto index = static_cast<std::size_t>(node);
      const bool taken = std::any_of(without.begin(), without.end(),
                                     [node](const Share& share) { return share.node == node; });
      if (taken || cluster_[index].kind != kind || free(node) < devices || (!sharing && spread_[index]))
        continue;
      if (best < 0 || free(node) < free(best)) best = node;
    }
    return best;
  }

  const Cluster& cluster_;
  std::vector<int> free_;
  std::vector<bool> spread_;  // a job on several nodes is here
};

int largest_node(const Cluster& cluster, int kind) {
  int largest = 1;
  for (const Node& node : cluster)
    if (node.kind == kind) largest = std::max(largest, node.devices);
  return largest;
}

// The next lower of Sia's counts; 0 below 1.
int next_lower(int devices, int node) {
  if (devices > node) return (devices - 1) / node * node;
  int power = 1;
  while (2 * power < devices) power *= 2;
  return devices > 1 ? power : 0;
}

class Placer {
 public:
  Placer(const Cluster& cluster, std::span<const Wish> wishes, const PlacementCost& cost)
      : cluster_(cluster), wishes_(wishes), cost_(cost) {}

  std::vector<Placement> place(bool stay) const {
    std::vector<Placement> placements(wishes_.size());
    Floor floor(cluster_);
    std::vector<std::size_t> rest;
    const auto keep = [&](std::size_t job) {
      placements[job] = wishes_[job].present;
      floor.take(placements[job]);
    };
    for (std::size_t job = 0; job < wishes_.size(); ++job)
      if (wishes_[job].fixed) keep(job);
    for (std::size_t job = 0; job < wishes_.size(); ++job) {
      if (wishes_[job].fixed || wishes_[job].devices == 0) continue;
      if (stay && keeps_number(wishes_[job]) && floor.holds(wishes_[job].present))
        keep(job);
      else
        rest.push_back(job);
    }
    std::stable_sort(rest.begin(), rest.end(),
                     [&](auto a, auto b) { return wishes_[a].devices > wishes_[b].devices; });
    for (const std::size_t job : rest) {
      placements[job] = best(job, floor);
      floor.take(placements[job]);
    }
    fill(placements, floor);
    return placements;
  }

  double cost(const std::vector<Placement>& placements) const {
    double sum = 0;
    for (std::size_t job = 0; job < placements.size(); ++job)
      if (!wishes_[job].fixed) sum += cost_(job, placements[job]);
    return sum;
  }

 private:
  bool keeps_number(const Wish& wish) const {
    return !wish.present.empty() && replicas(wish.present) == wish.devices &&
           cluster_[static_cast<std::size_t>(wish.present.front().node)].kind == wish.kind;
  }

  // What is left because others did not fit goes where it lies, to the job that gains most by it.
  void fill(std::vector<Placement>& placements, Floor& floor) const {
    for (;;) {
      double most = 1e-9;
      std::size_t who = 0;
      Placement with;
      for (std::size_t job = 0; job < placements.size(); ++job) {
        const Wish& wish = wishes_[job];
        if (wish.fixed || placements[job].empty()) continue;
        const int count = replicas(placements[job]);
        for (std::size_t i = 0; i < placements[job].size(); ++i) {
          Placement more = placements[job];
          const int room = std::min(floor.free(more[i].node), wish.most - count);
          if (room < 1) continue;
          const int had = more[i].devices;
          for (int extra = 1; extra <= room; ++extra) {
            more[i].devices = had + extra;
            const double saved = cost_(job, placements[job]) - cost_(job, more);
            if (saved <= most) continue;
            most = saved;
            who = job;
            with = more;
          }
        }
      }
      if (with.empty()) return;
      floor.give(placements[who]);
      placements[who] = with;
      floor.take(with);
    }
  }

  Placement best(std::size_t job, const Floor& floor) const {
    const Wish& wish = wishes_[job];
    const auto fewest = static_cast<std::size_t>(fewest_nodes(cluster_, wish.kind, wish.devices));
    if (keeps_number(wish) && wish.present.size() == fewest && floor.holds(wish.present)) return wish.present;
    const auto compact = floor.find(wish.kind, wish.devices, false);
    if (compact && compact->size() == fewest) return *compact;

    std::optional<Placement> best;
    double least = 0;
    const auto consider = [&](const std::optional<Placement>& placement) {
      if (!placement) return;
      const double cost = cost_(job, *placement);
      if (best && cost >= least) return;
      best = placement;
      least = cost;
    };
    consider(compact);
    const int present = replicas(wish.present);
    if (present > 0 && present <= wish.devices && present >= wish.least && floor.holds(wish.present))
      consider(wish.present);
    const int node = largest_node(cluster_, wish.kind);
    for (int lower = next_lower(wish.devices, node); lower >= std::max(wish.least, 1);
         lower = next_lower(lower, node)) {
      const auto placement = floor.find(wish.kind, lower, false);
      if (!placement) continue;
      consider(placement);
      break;
    }
    if (!best) consider(floor.find(wish.kind, wish.devices, true));
    return best.value_or(Placement{});
  }

  const Cluster& cluster_;
  std::span<const Wish> wishes_;
  const PlacementCost& cost_;
};

}  // namespace

std::vector<Placement> place(const Cluster& cluster, std::span<const Wish> wishes,
                             const PlacementCost& cost) {
  const Placer placer(cluster, wishes, cost);
  std::vector<Placement> staying = placer.place(true), moving = placer.place(false);
  return placer.cost(moving) < placer.cost(staying) ? moving : staying;
}

}  // namespace batchscope::policy
