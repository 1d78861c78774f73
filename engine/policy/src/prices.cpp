// SPDX-License-Identifier: Apache-2.0
#include "batchscope/policy/prices.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <tuple>

#include "batchscope/policy/decision.h"
#include "batchscope/policy/forecast.h"
#include "counted.h"

namespace batchscope::policy {
namespace {

constexpr double kLeastUtility = 0.35, kMostUtility = 0.65;  // AdaptDL's
constexpr int kMostCounts = 32;                              // that are looked at, besides the present one

// A queue on other numbers of devices than there are.
class Market {
 public:
  Market(std::span<const Job> jobs, const Cluster& cluster, Objective objective)
      : objective_(objective), cluster_(cluster), held_(cluster.size()) {
    for (const Job& job : jobs) jobs_.push_back(unmoved(job));
    for (const Job& job : jobs_)
      for (const Share& share : job.placement)
        if (is_fixed(job)) held_.at(static_cast<std::size_t>(share.node)) += share.devices;
  }

  int present() const { return devices(cluster_, 0); }
  int least() const {
    int held = 0;
    for (const int of_node : held_) held += of_node;
    return std::max(held, 1);
  }

  DeviceCount count(int wanted) const {
    const Cluster cluster = resized(wanted);
    const std::vector<Job> jobs = on(cluster);
    const Decision decision = decide(jobs, cluster, objective_);
    DeviceCount count;
    count.devices = devices(cluster, 0);
    count.utility = utility(jobs, cluster, decision);
    for (std::size_t job = 0; job < jobs.size(); ++job) {
      if (!jobs[job].goodput || replicas(decision.jobs[job].placement) <= std::max(jobs[job].max_profiled, 1))
        continue;
      count.unmeasured.push_back(job);
      count.is_guess = count.is_guess || jobs[job].max_profiled <= 1;
    }
    for (const std::optional<double>& end : forecast(jobs, cluster, objective_)) {
      if (!end) {
        ++count.unknown;
        continue;
      }
      count.sum_of_ends += *end;
      count.end = std::max(count.end.value_or(0), *end);
    }
    return count;
  }

 private:
  Cluster resized(int wanted) const {
    Cluster cluster = cluster_;
    int more = wanted - present();
    for (std::size_t node = cluster.size(); node-- > 0 && more < 0;) {
      const int removed = std::min(cluster[node].devices - held_[node], -more);
      cluster[node].devices -= removed;
      more += removed;
    }
    if (cluster.empty()) cluster.push_back({0, 0});
    if (cluster.size() == 1) cluster[0].devices += std::max(more, 0);
    int largest = 1;
    for (const Node& node : cluster) largest = std::max(largest, node.devices);
    for (; cluster.size() > 1 && more > 0; more -= largest) cluster.push_back({std::min(more, largest), 0});
    return cluster;
  }

  // A job that has a device which is gone has none.
  std::vector<Job> on(const Cluster& cluster) const {
    std::vector<int> left;
    for (std::size_t node = 0; node < held_.size(); ++node)  // nobody has devices of those that would come
      left.push_back(cluster[node].devices - held_[node]);
    std::vector<Job> jobs = jobs_;
    for (Job& job : jobs) {
      if (is_fixed(job)) continue;
      const bool holds = std::all_of(job.placement.begin(), job.placement.end(), [&](const Share& share) {
        return share.devices <= left.at(static_cast<std::size_t>(share.node));
      });
      if (!holds) job.placement.clear();
      for (const Share& share : job.placement) left[static_cast<std::size_t>(share.node)] -= share.devices;
    }
    return jobs;
  }

  static double utility(const std::vector<Job>& jobs, const Cluster& cluster, const Decision& decision) {
    double sum = 0;
    for (std::size_t job = 0; job < jobs.size(); ++job) {
      const Placement& placement = decision.jobs[job].placement;
      const int devices_given = replicas(placement);
      if (devices_given == 0) continue;
      // A job that cannot train on one device counts as worth the least number that it can train on.
      int least = 1;
      double goodput_of_one = 0;
      for (; jobs[job].goodput && least < devices_given; ++least)
        if (goodput_of_one = jobs[job].goodput(0, 1, least) / least; goodput_of_one > 0) break;
      sum += goodput_of_one > 0
                 ? jobs[job].goodput(0, static_cast<int>(placement.size()), devices_given) / goodput_of_one
                 : devices_given;
    }
    return sum / std::max(devices(cluster, 0), 1);
  }

  const Objective objective_;
  const Cluster& cluster_;
  std::vector<Job> jobs_;
  std::vector<int> held_;  // of each node, by jobs that keep what they have
};

bool is_eligible(const Advice& advice, const DeviceCount& count) {
  return !count.is_guess || count.devices == advice.present;
}

int by_utility(const Advice& advice) {
  if (advice.utility >= kLeastUtility && advice.utility <= kMostUtility) return advice.present;
  constexpr double kTarget = (kLeastUtility + kMostUtility) / 2;
  int best = advice.present;
  double least = HUGE_VAL;
  for (const DeviceCount& count : advice.counts) {
    const double distance = std::abs(count.utility - kTarget);
    if (!is_eligible(advice, count) || count.utility < kLeastUtility || distance > least) continue;
    least = distance;
    best = count.devices;
  }
  return best;
}

int by_price(const Advice& advice, double price) {
  const auto cost = [&](const DeviceCount& count) {
    return std::tuple(!is_eligible(advice, count), count.unknown,
                      count.sum_of_ends + price * count.devices * count.end.value_or(0));
  };
  return std::min_element(advice.counts.begin(), advice.counts.end(),
                          [&](const DeviceCount& a, const DeviceCount& b) { return cost(a) < cost(b); })
      ->devices;
}

std::string time_text(double seconds) {
  const auto whole = static_cast<long long>(std::llround(std::min(seconds, 1e15)));
  if (whole < 100) return std::to_string(whole) + " s";
  const long long minutes = (whole + 30) / 60;
  if (minutes < 100) return std::to_string(minutes) + " min";
  return std::to_string(minutes / 60) + " h" +
         (minutes % 60 > 0 ? " " + std::to_string(minutes % 60) + " min" : "");
}

std::string percent(double share) { return std::to_string(std::lround(100 * share)) + " %"; }

// "; digits was never measured on more than 1 replica"
std::string caveat(const DeviceCount& count, std::span<const Job> jobs) {
  if (count.unmeasured.empty()) return "";
  if (count.unmeasured.size() > 1)
    return "; " + counted(static_cast<int>(count.unmeasured.size()), "job") +
           " were never measured on as many replicas";
  const Job& job = jobs[count.unmeasured.front()];
  return "; " + job.name + " was never measured on more than " +
         counted(std::max(job.max_profiled, 1), "replica");
}

// `other` is the number of devices that `end_with` is of.
std::string effect(const Advice& advice, const DeviceCount& other, const std::string& device,
                   std::size_t jobs) {
  if (jobs == 0) return "there are no jobs: no " + device + " is needed";
  const int more = other.devices - advice.present;
  const std::string begin = counted(std::abs(more), (more > 0 ? "more " : "fewer ") + device) + " would ";
  if (const int ending = advice.unknown - other.unknown; ending > 0 && advice.end_now)
    return begin + "let " + counted(ending, "more job") + " finish";
  if (!advice.end_now || !other.end)
    return begin + "be used to " + percent(other.utility) + ", the present ones to " +
           percent(advice.utility);
  const double sooner = *advice.end_now - *other.end;
  const int known = static_cast<int>(jobs) - advice.unknown;
  const std::string queue = advice.unknown == 0 ? "the queue" : counted(known, "job") + " of known length";
  return begin + "end " + queue + " " + time_text(std::abs(sooner)) + (sooner < 0 ? " later" : " sooner");
}

std::string sentence(const Advice& advice, const DeviceCount& other, const std::string& device,
                     std::span<const Job> jobs) {
  return effect(advice, other, device, jobs.size()) + caveat(other, jobs);
}

}  // namespace

Advice advise(std::span<const Job> jobs, const Cluster& cluster, Objective objective,
              const DeviceTerms& terms) {
  if (kinds(cluster) > 1) throw std::invalid_argument("advise: the cluster has several kinds of device");
  if (terms.price && !(*terms.price >= 0))
    throw std::invalid_argument("advise: the price of a device's hour is negative");
  decide(jobs, cluster, objective);  // refuses what cannot be
  const Market market(jobs, cluster, objective);
  Advice advice;
  advice.present = market.present();
  const int most = std::max(2 * advice.present, 1), step = (most + kMostCounts - 1) / kMostCounts;
  std::vector<int> numbers{advice.present};
  for (int devices = most; devices >= market.least(); devices -= step) numbers.push_back(devices);
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  for (const int number : numbers) advice.counts.push_back(market.count(number));
  const auto of = [&](int devices) {
    return *std::lower_bound(advice.counts.begin(), advice.counts.end(), devices,
                             [](const DeviceCount& count, int number) { return count.devices < number; });
  };
  advice.utility = of(advice.present).utility;
  advice.end_now = of(advice.present).end;
  advice.unknown = of(advice.present).unknown;
  if (!jobs.empty())
    advice.devices = terms.price && advice.end_now ? by_price(advice, *terms.price) : by_utility(advice);
  const bool stays = advice.devices == advice.present;
  const DeviceCount other = jobs.empty() ? DeviceCount{} : of(stays ? advice.present + 1 : advice.devices);
  advice.end_with = other.end;
  advice.sentence = sentence(advice, other, terms.device, jobs);
  return advice;
}

}  // namespace batchscope::policy
