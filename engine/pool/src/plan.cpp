// SPDX-License-Identifier: Apache-2.0
#include "plan.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <set>

#include "batchscope/policy/decision.h"
#include "batchscope/policy/forecast.h"
#include "batchscope/policy/prices.h"
#include "batchscope/protocol/series.h"
#include "batchscope/run/node_devices.h"
#include "batchscope/run/prediction.h"
#include "devices.h"
#include "place_text.h"

namespace batchscope::pool {
namespace {

using Devices = std::vector<std::string>;

constexpr double kWorthSaying = 2, kShareWorthSaying = 0.02;  // s, and of the time until the end

// Scale-invariant iterations still to do, as samples of the initial batch size. They are below 0 where a run
// goes on beyond the end that its program foresaw.
std::optional<double> remaining_work(const Member& member) {
  const auto progress = member.run.latest.find(protocol::series::kProgress);
  const double fraction = member.run.fraction;
  if (!member.model || progress == member.run.latest.end() || !policy::tells_what_is_left(fraction) ||
      !(progress->second > 0))
    return std::nullopt;
  return progress->second * (1 - fraction) / fraction * static_cast<double>(member.model->init_batch_size);
}

policy::Goodput goodput_of_replicas(const Member& member, int most) {
  if (!member.model || !member.model->perf) return {};
  // A forecast asks for the same counts a thousand times. Whatever devices the run has had, each replica is
  // given its own here.
  policy::Goodput goodput = [model = *member.model,
                             known = std::make_shared<std::map<std::pair<int, int>, double>>()](
                                int, int num_nodes, int num_replicas) mutable {
    const auto [entry, is_new] = known->try_emplace({num_nodes, num_replicas});
    model.devices = num_replicas;
    if (const auto best = is_new ? run::predict(model, num_replicas, num_nodes) : std::nullopt)
      entry->second = best->goodput;
    return entry->second;
  };
  for (int replicas = 1; replicas <= most; ++replicas)
    if (goodput(0, 1, replicas) > 0) return goodput;
  return {};  // a model that tells of no number is as good as none
}

// The policy counts devices. Where a replica has several, only multiples are of use, and on one node, since a
// number alone does not say which node's would make a whole set.
policy::Goodput goodput_of(const Member& member, int devices) {
  const int of_each = member.run.spec.devices_of_each();
  const policy::Goodput of_replicas = goodput_of_replicas(member, devices / of_each);
  if (of_each > 1)
    return [of_each, of_replicas](int kind, int num_nodes, int num_devices) {
      if (num_devices % of_each != 0 || num_nodes > 1) return 0.0;
      const int replicas = num_devices / of_each;
      return of_replicas ? of_replicas(kind, num_nodes, replicas) : replicas;
    };
  return of_replicas;
}

// "GPU" or "core": of those that it has, else of those that it may have.
std::string kind_of(const Member& member, const run::Machine& machine) {
  if (member.reserved.empty()) return devices_kind(member.run.spec, machine);
  return run::is_gpu(member.reserved.front()) ? "GPU" : "core";
}

// Returns whether a run of the queue is among them.
bool wants_devices(const std::vector<const Member*>& members) {
  return std::ranges::any_of(
      members, [](const Member* member) { return member->job && member->standing != Standing::outside; });
}

// One kind of device, and who has or wants some of it.
class KindPlan {
 public:
  KindPlan(const World& world, Scope scope, const char* kind, const Devices& all,
           std::vector<const Member*> members)
      : world_(world), scope_(scope), kind_(kind), members_(std::move(members)) {
    const int limit = world.settings.devices;
    const auto given_away = limit > 0 ? std::min(static_cast<std::size_t>(limit), all.size()) : all.size();
    devices_.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(given_away));
    // Members that stay where they are come first: a core may be in two hands.
    std::set<std::string> taken;
    own_.resize(members_.size());
    shared_.resize(members_.size());
    for (const bool stays : {true, false})
      for (std::size_t i = 0; i < members_.size(); ++i) {
        if (is_fixed(*members_[i]) != stays) continue;
        for (const std::string& device : members_[i]->reserved) {
          const bool known = std::find(devices_.begin(), devices_.end(), device) != devices_.end();
          if (!known && !stays) continue;
          if (!known) devices_.push_back(device);
          (taken.insert(device).second ? own_ : shared_)[i].push_back(device);
        }
      }
    for (const std::string& device : devices_) {
      const std::string node = run::node_of_device(device);
      if (std::find(nodes_.begin(), nodes_.end(), node) == nodes_.end()) nodes_.push_back(node);
    }
  }

  // `counts`: this is the kind that the plan's advice is about.
  void add_to(Plan& plan, bool counts) const {
    policy::Cluster cluster;
    for (const std::string& node : nodes_)
      cluster.push_back({static_cast<int>(on_node(node, devices_).size()), 0});
    const policy::Objective objective = policy::objective_named(world_.settings.policy);
    std::vector<policy::Job> jobs;
    for (std::size_t i = 0; i < members_.size(); ++i) jobs.push_back(job_of(i, is_fixed(*members_[i])));
    const policy::Decision decision = policy::decide(jobs, cluster, objective);
    give_names(decision, plan);
    // A later decision may move those, too, that only now stay where they are.
    for (std::size_t i = 0; i < members_.size(); ++i)
      jobs[i].preemptible =
          members_[i]->standing == Standing::free || members_[i]->standing == Standing::in_motion;
    const auto ends = policy::forecast(jobs, cluster, objective);
    for (std::size_t i = 0; i < members_.size(); ++i)
      if (ends[i]) plan.expected_ends[members_[i]->run.id] = world_.now + *ends[i];
    if (scope_ == Scope::round) advise(jobs, cluster, objective, counts, plan.decision);
  }

 private:
  bool is_fixed(const Member& member) const {
    if (member.standing == Standing::free) return scope_ == Scope::free_devices && !member.reserved.empty();
    return true;
  }

  static Devices on_node(const std::string& node, const Devices& devices) {
    Devices found;
    std::copy_if(devices.begin(), devices.end(), std::back_inserter(found),
                 [&](const std::string& device) { return run::node_of_device(device) == node; });
    return found;
  }

  const std::string& node_of(const policy::Share& share) const {
    return nodes_[static_cast<std::size_t>(share.node)];
  }

  policy::Placement placement_of(const Devices& devices) const {
    policy::Placement placement;
    for (std::size_t node = 0; node < nodes_.size(); ++node)
      if (const auto count = on_node(nodes_[node], devices).size(); count > 0)
        placement.push_back({static_cast<int>(node), static_cast<int>(count)});
    return placement;
  }

  int least(const Member& member) const {
    return device_range(member.run.spec, static_cast<int>(devices_.size())).min;
  }

  policy::Job job_of(std::size_t index, bool fixed) const {
    const Member& member = *members_[index];
    const auto range = device_range(member.run.spec, static_cast<int>(devices_.size()));
    const auto held = static_cast<int>(own_[index].size());
    policy::Job job;
    job.name = member.run.name;
    job.goodput = goodput_of(member, static_cast<int>(devices_.size()));
    job.min_replicas = range.min;
    job.max_replicas = fixed ? std::max(range.max, held) : range.max;
    job.max_profiled = member.max_profiled * member.run.spec.devices_of_each();
    job.preemptible = !fixed;
    job.placement = placement_of(own_[index]);
    job.age = world_.now - (member.job ? member.job->submitted : member.run.created);
    job.restarts = member.restarts;
    job.pause = member.pause;
    job.left_alone = policy::left_alone(member.moves, world_.now, member.pause);
    job.reluctance = policy::reluctance(member.moves, world_.now);
    if (held == 0)
      job.waited =
          static_cast<int>(std::clamp((world_.now - member.waiting_since) / turn_of(world_), 0.0, 1e6));
    if (member.job)
      job.weight = std::exp2(member.job->priority) * policy::first_come_weight(index, members_.size());
    job.remaining = remaining_work(member);
    return job;
  }

  // Gives names to numbers: on each node a run keeps what it has as far as its number there goes; the rest is
  // what nobody has, in the node's order.
  void give_names(const policy::Decision& decision, Plan& plan) const {
    std::vector<std::vector<Devices>> kept(members_.size());  // of each share
    std::set<std::string> taken;
    for (std::size_t i = 0; i < members_.size(); ++i)
      for (const policy::Share& share : decision.jobs[i].placement) {
        Devices own = on_node(node_of(share), own_[i]);
        own.resize(std::min(own.size(), static_cast<std::size_t>(share.devices)));
        taken.insert(own.begin(), own.end());
        kept[i].push_back(std::move(own));
      }
    for (std::size_t i = 0; i < members_.size(); ++i) {
      Devices given;
      for (std::size_t at = 0; at < kept[i].size(); ++at) {
        const policy::Share& share = decision.jobs[i].placement[at];
        Devices devices = std::move(kept[i][at]);
        for (const std::string& device : on_node(node_of(share), devices_))
          if (devices.size() < static_cast<std::size_t>(share.devices) && taken.insert(device).second)
            devices.push_back(device);
        given.insert(given.end(), devices.begin(), devices.end());
      }
      add_choice(*members_[i], given, decision.jobs[i], plan);
      if (given.empty() && shares_all(i)) keep_shared(i, plan);
    }
    for (const std::string& device : devices_)
      if (!taken.contains(device)) plan.decision.idle.push_back(device);
  }

  void add_choice(const Member& member, const Devices& devices, const policy::Allocation& allocation,
                  Plan& plan) const {
    protocol::PoolChoice choice;
    choice.run = member.run.id;
    choice.devices = devices;
    choice.before = static_cast<int>(member.held.size());
    choice.why = why_name(allocation.why);
    choice.reason = allocation.reason;
    for (const policy::Alternative& other : allocation.alternatives)
      choice.alternatives.push_back({other.devices, other.speedup});
    if (member.standing != Standing::free) {
      choice.devices = member.held;
      choice.reason = member.note;
    } else if (is_fixed(member)) {  // until the next round
      choice.devices = member.reserved;
      choice.why = "worth";
      choice.reason = member.job->reason.starts_with("is ")
                          ? "started a moment ago; kept until the next decision"
                          : member.job->reason;
    } else {
      const bool has_room = least(member) <= devices_at_once(member.run.spec, devices_);
      if (allocation.why == policy::Why::impossible && (has_room || !world_.settings.nodes_from.empty())) {
        choice.why = why_name(policy::Why::waits);
        choice.reason = has_room ? waiting_text(member) : waiting_for_nodes_text();
      }
      if (const std::string place = place_text(member.held, devices, devices_); !place.empty())
        choice.reason += "; " + place;
      plan.targets[member.run.id] = devices;
    }
    plan.decision.choices.push_back(std::move(choice));
  }

  std::string waiting_for_nodes_text() const {
    return world_.nodes_trouble.empty()
               ? "waits for nodes: more were asked for (batchscope pool --nodes-from)"
               : "waits for nodes: " + world_.nodes_trouble;
  }

  // Names those who keep what a run would need, and how a person changes that.
  std::string waiting_text(const Member& member) const {
    std::vector<std::size_t> holders;
    int to_have = static_cast<int>(devices_.size());
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (members_[i]->standing != Standing::fixed || own_[i].empty()) continue;
      holders.push_back(i);
      to_have -= static_cast<int>(own_[i].size());
    }
    const int missing = least(member) - to_have;
    if (missing <= 0) return "waits for its turn";
    std::vector<std::string> texts;
    for (const std::size_t holder : holders) texts.push_back(holder_text(holder, missing));
    return fmt::format("waits for {} {}{}: {}", missing, kind_, missing == 1 ? "" : "s",
                       fmt::join(texts, "; "));
  }

  // "cpu:0-1 (2 threads) are hog's since 15:04, started outside the queue: `..` frees 1, `..` puts it into
  // the queue"
  std::string holder_text(std::size_t index, int missing) const {
    const Member& holder = *members_[index];
    const Devices& devices = own_[index];
    const std::string& id = holder.run.id;
    std::string text = fmt::format("{} {} {}'s", run::device_list(devices, holder.run.replicas),
                                   devices.size() == 1 ? "is" : "are", holder.run.name);
    if (holder.held_since > 0)
      text += fmt::format(" since {:%H:%M}", fmt::localtime(static_cast<std::time_t>(holder.held_since)));
    if (holder.job) return text + ", which " + holder.note;
    text += ", started outside the queue: ";
    const auto kept = static_cast<std::ptrdiff_t>(devices.size()) - missing;
    text += kept > 0 ? fmt::format("`batchscope rescale {} {} --devices {}` frees {}", id, kept,
                                   fmt::join(devices.begin(), devices.begin() + kept, ","), missing)
                     : fmt::format("`batchscope pause {}` frees {}", id, devices.size() == 1 ? "it" : "them");
    if (is_pools_choice(holder.run.spec.device))
      text += fmt::format(", `batchscope rescale {} auto` puts it into the queue", id);
    return text;
  }

  // Returns whether others share all that a run holds: what it holds is its own, whoever shares it, so there
  // is nothing that its pause would give to others.
  bool shares_all(std::size_t index) const {
    const Member& member = *members_[index];
    return member.standing == Standing::free && !member.held.empty() && own_[index].empty() &&
           shared_[index].size() == member.held.size();
  }

  void keep_shared(std::size_t index, Plan& plan) const {
    const Member& member = *members_[index];
    protocol::PoolChoice& choice = plan.decision.choices.back();
    choice.devices = plan.targets[member.run.id] = member.held;
    choice.why = why_name(policy::Why::fixed);
    choice.alternatives.clear();
    choice.reason = "shares " + run::device_list(member.held) + " with";
    for (const Member* other : members_) {
      const bool shares =
          other != &member && std::any_of(member.held.begin(), member.held.end(), [&](const auto& one) {
            return std::find(other->reserved.begin(), other->reserved.end(), one) != other->reserved.end();
          });
      if (shares) choice.reason += (choice.reason.ends_with(" with") ? " " : ", ") + other->run.name;
    }
  }

  static const char* why_name(policy::Why why) {
    switch (why) {
      case policy::Why::fixed: return "fixed";
      case policy::Why::turn: return "turn";
      case policy::Why::worth: return "worth";
      case policy::Why::waits: return "waits";
      case policy::Why::impossible: return "impossible";
    }
    return "";
  }

  // Adds the numbers of the kind that counts, and a sentence on the first kind that has one; a person thinks
  // of GPUs before he thinks of cores.
  void advise(const std::vector<policy::Job>& jobs, const policy::Cluster& cluster,
              policy::Objective objective, bool counts, protocol::PoolDecision& decision) const {
    if (devices_.empty()) return;
    policy::DeviceTerms terms;
    if (world_.settings.price_per_device_hour > 0) terms.price = world_.settings.price_per_device_hour;
    terms.device = kind_;
    const policy::Advice advice = policy::advise(jobs, cluster, objective, terms);
    if (counts) {
      decision.utility = advice.utility;
      decision.wanted = advice.devices;
    }
    if (!decision.advice.empty() || !advice.end_now || !advice.end_with) return;
    const double sooner = std::abs(*advice.end_now - *advice.end_with);
    if (sooner > kWorthSaying && sooner > kShareWorthSaying * *advice.end_now)
      decision.advice = advice.sentence;
  }

  const World& world_;
  const Scope scope_;
  const char* const kind_;
  const std::vector<const Member*> members_;
  Devices devices_;  // that are given away here, those of fixed members included
  // Names of their nodes, this machine's first, which is empty; the policy knows them by their index.
  std::vector<std::string> nodes_{""};
  // Devices of each member: those that it has, and nobody before it; and those that others have too.
  std::vector<Devices> own_, shared_;
};

}  // namespace

double turn_of(const World& world) {
  double turn = world.settings.turn;
  for (const Member& member : world.members)
    if (member.standing == Standing::free && member.restarts > 0)
      turn = policy::turn_with(turn, member.pause);
  return turn;
}

Plan make_plan(const World& world, Scope scope) {
  Plan plan;
  plan.decision.time = world.now;
  plan.decision.policy = world.settings.policy;
  std::vector<const Member*> on_gpus, on_cores;
  for (const Member& member : world.members) {
    const bool takes_part = member.standing != Standing::outside || !member.held.empty();
    if (takes_part) (kind_of(member, world.machine) == "GPU" ? on_gpus : on_cores).push_back(&member);
    if (member.to_be_paused) plan.targets[member.run.id] = {};
  }
  // Nodes are asked for by the devices of these (node_demand.h).
  const bool gpus_count = wants_devices(on_gpus) || !wants_devices(on_cores);
  if (!on_gpus.empty()) KindPlan(world, scope, "GPU", world.machine.gpus, on_gpus).add_to(plan, gpus_count);
  if (!on_cores.empty())
    KindPlan(world, scope, "core", world.machine.cores, on_cores)
        .add_to(plan, !gpus_count || on_gpus.empty());
  return plan;
}

}  // namespace batchscope::pool
