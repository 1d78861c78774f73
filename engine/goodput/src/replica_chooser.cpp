// SPDX-License-Identifier: Apache-2.0
#include "batchscope/goodput/replica_chooser.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace batchscope::goodput {
namespace {

constexpr double kMargin = 0.05;  // AdaptDL's threshold for another batch size
constexpr double kClearly = 6;    // margins: 30 %, twice what a first prediction may miss by
constexpr int kAgreeing = 3;      // models

int direction(int from, int to) { return (to > from) - (to < from); }

// Speed-ups are over the smallest feasible count, which is one replica but for narrow bounds.
std::vector<Candidate> evaluate(const BestGoodput& goodput, int first, int last, int present) {
  std::vector<Candidate> candidates;
  double base = 0;
  for (int n = 1; n <= std::max(last, present); ++n) {
    const bool wanted = n == present || (n >= first && n <= last);
    if (base > 0 && !wanted) continue;
    const double at_best = goodput(n);
    if (base <= 0) base = at_best / n;
    if (wanted) candidates.push_back({n, at_best, base > 0 ? at_best / n / base : 0});
  }
  return candidates;
}

}  // namespace

ReplicaChooser::ReplicaChooser(const ChooserLimits& limits) : limits_(limits), margin_(kMargin) {
  if (limits.min_replicas < 1 || limits.max_replicas < limits.min_replicas)
    throw std::invalid_argument("ReplicaChooser: 1 <= min_replicas <= max_replicas must hold");
}

ReplicaDecision ReplicaChooser::decide(const BestGoodput& goodput, const RunContext& at) {
  ReplicaDecision decision;
  decision.replicas = at.replicas;
  decision.pause = std::max(0.0, at.pause);
  decision.horizon = at.remaining < 0 ? limits_.horizon : std::min(limits_.horizon, at.remaining);
  decision.cap =
      std::clamp(2 * std::max(1, at.max_profiled_replicas), limits_.min_replicas, limits_.max_replicas);
  decision.candidates = evaluate(goodput, limits_.min_replicas, decision.cap, at.replicas);

  const std::optional<Challenger> better = challenger(decision, at);
  if (!better) {
    agreed_ = 0;
    return decision;
  }
  const int towards = direction(at.replicas, better->replicas);
  agreed_ = towards == direction_ ? agreed_ + 1 : 1;
  direction_ = towards;
  if (agreed_ < better->models) {
    decision.missing = better->models - agreed_;
    return decision;
  }

  if (last_direction_ == -towards) margin_ *= 2;
  last_direction_ = towards;
  agreed_ = 0;
  decision.replicas = better->replicas;
  return decision;
}

// Returns what this model would move to; none: the run stays.
std::optional<ReplicaChooser::Challenger> ReplicaChooser::challenger(const ReplicaDecision& decision,
                                                                     const RunContext& at) const {
  const double share = decision.horizon > 0 ? 1 - decision.pause / decision.horizon : 0;
  const Candidate* present = nullptr;
  const Candidate* best = nullptr;
  const Candidate* smallest = nullptr;  // where no count reaches the floor
  for (const Candidate& candidate : decision.candidates) {
    if (candidate.replicas == at.replicas) present = &candidate;
    const bool allowed = candidate.replicas >= limits_.min_replicas && candidate.replicas <= decision.cap;
    if (!allowed || !(candidate.goodput > 0) || refused_.contains(candidate.replicas)) continue;
    if (!smallest) smallest = &candidate;
    if (candidate.efficiency < limits_.min_efficiency) continue;
    if (!best || candidate.goodput > best->goodput) best = &candidate;
  }
  if (!best) best = smallest;
  if (!best || best == present) return {};

  if (at.replicas < limits_.min_replicas || at.replicas > limits_.max_replicas) return {{best->replicas, 1}};
  if (!present || share <= 0) return {};
  // A count that wastes devices is left even where that costs goodput.
  const bool wastes = present->efficiency < limits_.min_efficiency * (1 - margin_);
  const auto beats_by = [&](double part) { return best->goodput * share > present->goodput * (1 + part); };
  if (!wastes && !beats_by(margin_)) return {};
  const bool is_clear = at.judged && beats_by(kClearly * margin_);
  return {{best->replicas, is_clear ? 1 : kAgreeing}};
}

}  // namespace batchscope::goodput
