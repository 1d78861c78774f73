// SPDX-License-Identifier: Apache-2.0
#include "placer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <utility>

namespace batchscope::policy {
namespace {

constexpr int kMostRepairs = 4;  // jobs that room is made for
constexpr int kMostRooms = 4;    // nodes that are tried for each

using Plan = std::vector<Placement>;

class Floor {
 public:
  explicit Floor(const Cluster& cluster) : cluster_(cluster), spread_(cluster.size()) {
    for (const Node& node : cluster) free_.push_back(node.devices);
  }

  int free(int node) const { return free_[static_cast<std::size_t>(node)]; }

  bool holds(const Placement& placement) const {
    return std::all_of(placement.begin(), placement.end(), [&](const Share& share) {
      const auto node = static_cast<std::size_t>(share.node);
      return share.devices <= free_[node] && !(placement.size() > 1 && spread_[node]);
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

  // Finds devices on as few nodes as there are to be had; `sharing`: also on those of another job on several
  // nodes.
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
    const int last = tightest(kind, devices, sharing, placement);
    if (last < 0) return std::nullopt;
    placement.push_back({last, devices});
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

  // `first` has its places before all but the fixed; nothing where these are not free.
  Plan place(bool stay, const std::map<std::size_t, Placement>& first = {}) const {
    Plan placements(wishes_.size());
    Floor floor(cluster_);
    std::vector<std::size_t> rest;
    const auto keep = [&](std::size_t job) {
      placements[job] = wishes_[job].present;
      floor.take(placements[job]);
    };
    for (std::size_t job = 0; job < wishes_.size(); ++job)
      if (wishes_[job].fixed) keep(job);
    for (const auto& [job, placement] : first) {
      if (!floor.holds(placement)) return {};
      placements[job] = placement;
      floor.take(placement);
    }
    for (std::size_t job = 0; job < wishes_.size(); ++job) {
      if (wishes_[job].fixed || wishes_[job].devices == 0 || first.contains(job)) continue;
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

  // Makes room on a node for those who lost most by what their wish did not fit, while that pays.
  void repair(Plan& plan) const {
    std::map<std::size_t, Placement> first;
    std::set<std::size_t> tried;
    double least = cost(plan);
    for (int i = 0; i < kMostRepairs; ++i) {
      const std::optional<std::size_t> job = keenest(plan, tried);
      if (!job) return;
      tried.insert(*job);
      const std::map<std::size_t, Placement> before = first;
      for (const int node : rooms(plan, *job)) {
        std::map<std::size_t, Placement> with = before;
        with[*job] = {{node, wishes_[*job].devices}};
        Plan other = place(true, with);
        if (other.empty() || cost(other) >= least) continue;
        least = cost(other);
        plan = std::move(other);
        first = std::move(with);
      }
    }
  }

  double cost(const Plan& placements) const {
    double sum = 0;
    for (std::size_t job = 0; job < placements.size(); ++job)
      if (!wishes_[job].fixed) sum += cost_(job, placements[job]);
    return sum;
  }

 private:
  const Node& node(int index) const { return cluster_[static_cast<std::size_t>(index)]; }

  // Any node other than this one that could hold as many.
  std::optional<int> another(int kind, int devices, int than) const {
    for (int index = 0; index < static_cast<int>(cluster_.size()); ++index)
      if (index != than && node(index).kind == kind && node(index).devices >= devices) return index;
    return std::nullopt;
  }

  // Returns the job that lost most among those that a node could hold.
  std::optional<std::size_t> keenest(const Plan& plan, const std::set<std::size_t>& tried) const {
    std::optional<std::size_t> keenest;
    double most = 1e-9;
    for (std::size_t job = 0; job < plan.size(); ++job) {
      const Wish& wish = wishes_[job];
      if (wish.fixed || wish.devices == 0 || tried.contains(job)) continue;
      if (plan[job].size() == 1 && replicas(plan[job]) >= wish.devices) continue;
      const std::optional<int> room = another(wish.kind, wish.devices, -1);
      if (!room) continue;
      const double lost = cost_(job, plan[job]) - cost_(job, {{*room, wish.devices}});
      if (lost <= most) continue;
      most = lost;
      keenest = job;
    }
    return keenest;
  }

  // The nodes on which it costs others least to make room for a job.
  std::vector<int> rooms(const Plan& plan, std::size_t whom) const {
    std::vector<std::vector<std::pair<double, int>>> leavers(cluster_.size());  // cost of leaving, devices
    std::vector<int> free;
    for (const Node& node : cluster_) free.push_back(node.devices);
    for (std::size_t job = 0; job < plan.size(); ++job)
      for (const Share& share : plan[job]) {
        if (job == whom) continue;
        free[static_cast<std::size_t>(share.node)] -= share.devices;
        if (!wishes_[job].fixed)
          leavers[static_cast<std::size_t>(share.node)].push_back({leaving(job, plan[job]), share.devices});
      }
    std::vector<std::pair<double, int>> rooms;
    for (int index = 0; index < static_cast<int>(cluster_.size()); ++index) {
      const auto at = static_cast<std::size_t>(index);
      if (cluster_[at].kind != wishes_[whom].kind) continue;
      std::sort(leavers[at].begin(), leavers[at].end());
      double cost = 0;
      for (const auto& [of_job, devices] : leavers[at]) {
        if (free[at] >= wishes_[whom].devices) break;
        free[at] += devices;
        cost += of_job;
      }
      if (free[at] >= wishes_[whom].devices) rooms.push_back({cost, index});
    }
    std::sort(rooms.begin(), rooms.end());
    std::vector<int> nodes;
    for (const auto& [cost, node] : rooms)
      if (nodes.size() < kMostRooms) nodes.push_back(node);
    return nodes;
  }

  // Returns what it costs a job to have as many devices elsewhere.
  double leaving(std::size_t job, const Placement& placement) const {
    Placement moved = placement;
    std::rotate(moved.begin(), moved.begin() + 1, moved.end());
    const Share& share = placement.front();
    if (moved.size() == 1)
      if (const auto other = another(node(share.node).kind, share.devices, share.node))
        moved[0].node = *other;
    return cost_(job, moved) - cost_(job, placement);
  }

  bool keeps_number(const Wish& wish) const {
    return !wish.present.empty() && replicas(wish.present) == wish.devices &&
           cluster_[static_cast<std::size_t>(wish.present.front().node)].kind == wish.kind;
  }

  // Devices more for a job on nodes that it has, and what they save.
  struct Offer {
    double saved;
    std::size_t job;
    Placement with;
    bool operator<(const Offer& other) const {
      return saved != other.saved ? saved < other.saved : job > other.job;  // the first of equals
    }
  };

  std::optional<Offer> offer(std::size_t job, const Placement& has, const Floor& floor) const {
    const Wish& wish = wishes_[job];
    Offer best{1e-9, job, {}};
    const int count = replicas(has);
    for (std::size_t i = 0; i < has.size(); ++i) {
      const int room = std::min(floor.free(has[i].node), wish.most - count);
      for (int extra = 1; extra <= room; ++extra) {
        Placement more = has;
        more[i].devices += extra;
        const double saved = cost_(job, has) - cost_(job, more);
        if (saved > best.saved) best = {saved, job, std::move(more)};
      }
    }
    return best.with.empty() ? std::nullopt : std::optional(std::move(best));
  }

  // Gives devices that are left because others did not fit, where they lie, to the job that gains most by
  // them. An offer gets no better while others take theirs, so that only the first of them needs to be looked
  // at again.
  void fill(Plan& placements, Floor& floor) const {
    std::priority_queue<Offer> offers;
    const auto add_offer = [&](std::size_t job) {
      if (const auto new_offer = offer(job, placements[job], floor)) offers.push(*new_offer);
    };
    for (std::size_t job = 0; job < placements.size(); ++job)
      if (!wishes_[job].fixed) add_offer(job);
    while (!offers.empty()) {
      const Offer first = offers.top();
      offers.pop();
      const std::size_t job = first.job;
      if (const auto renewed = offer(job, placements[job], floor); renewed && renewed->saved == first.saved) {
        floor.give(placements[job]);
        placements[job] = renewed->with;
        floor.take(renewed->with);
      }
      add_offer(job);
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
  Plan staying = placer.place(true), moving = placer.place(false);
  Plan& best = placer.cost(moving) < placer.cost(staying) ? moving : staying;
  placer.repair(best);
  return std::move(best);
}

}  // namespace batchscope::policy
