// SPDX-License-Identifier: Apache-2.0
#include "batchscope/sweep/stopping.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

namespace batchscope::sweep {
namespace {

using StopKind = StopRule::Kind;

constexpr std::size_t kLeastPeers = 5;  // of a median
constexpr double kRounding = 1e-9;      // of powers and shares that come out whole on paper

// The trials that are the best share of those that came to the rung, the best first.
std::vector<std::size_t> best_share(const StopRule& rule, std::span<const Leg> legs, int rung) {
  std::vector<std::pair<double, std::size_t>> came;
  for (const Leg& leg : legs)
    if (leg.rung == rung && leg.cost) came.emplace_back(*leg.cost, leg.trial);
  std::ranges::sort(came);
  came.resize(static_cast<std::size_t>(static_cast<double>(came.size()) / rule.eta * (1 + kRounding)));
  std::vector<std::size_t> best;
  for (const auto& [cost, trial] : came)
    if (std::isfinite(cost)) best.push_back(trial);
  return best;
}

Verdict by_median(std::span<const Leg> legs, std::size_t trial, int rung) {
  struct Way {
    double sum = 0, count = 0, best = std::numeric_limits<double>::infinity();
    bool came = false;  // to this rung
  };
  std::map<std::size_t, Way> ways;
  for (const Leg& leg : legs) {
    if (leg.rung > rung || !leg.cost) continue;
    Way& way = ways[leg.trial];
    way.sum += *leg.cost;
    ++way.count;
    way.best = std::min(way.best, *leg.cost);
    way.came |= leg.rung == rung;
  }
  const double best = ways[trial].best;
  if (!std::isfinite(best)) return Verdict::stop;
  std::vector<double> means;
  for (const auto& [other, way] : ways)
    if (other != trial && way.came) means.push_back(way.sum / way.count);
  if (means.size() < kLeastPeers) return Verdict::go_on;
  std::ranges::sort(means);
  const double median = (means[(means.size() - 1) / 2] + means[means.size() / 2]) / 2;
  return best > median ? Verdict::stop : Verdict::go_on;
}

}  // namespace

std::optional<double> iterations_at(const StopRule& rule, int rung) {
  if (rule.kind == StopKind::none) return rule.max;
  const double iterations = rule.min * (rule.kind == StopKind::pbt ? rung + 1.0 : std::pow(rule.eta, rung));
  return rule.max && iterations >= *rule.max * (1 - kRounding) ? rule.max : iterations;
}

bool is_last(const StopRule& rule, int rung) {
  return rule.kind == StopKind::none || (rule.max && iterations_at(rule, rung) == rule.max);
}

Verdict verdict(const StopRule& rule, std::span<const Leg> legs, std::size_t trial, int rung) {
  switch (rule.kind) {
    case StopKind::none: break;
    case StopKind::pbt: return Verdict::pause;
    case StopKind::median: return by_median(legs, trial, rung);
    case StopKind::asha: {
      const auto best = best_share(rule, legs, rung);
      return std::ranges::find(best, trial) == best.end() ? Verdict::pause : Verdict::go_on;
    }
  }
  return Verdict::go_on;
}

std::optional<Leg> promotion(const StopRule& rule, std::span<const Leg> legs) {
  if (rule.kind != StopKind::asha) return std::nullopt;
  int highest = -1;
  for (const Leg& leg : legs) highest = std::max(highest, leg.rung);
  for (int rung = highest; rung >= 0; --rung) {
    if (is_last(rule, rung)) continue;
    for (const std::size_t trial : best_share(rule, legs, rung)) {
      const auto went_on = [&](const Leg& leg) {
        return leg.trial == trial && (leg.rung > rung || leg.at_end);
      };
      if (std::ranges::none_of(legs, went_on)) return Leg{trial, rung + 1, std::nullopt};
    }
  }
  return std::nullopt;
}

}  // namespace batchscope::sweep
