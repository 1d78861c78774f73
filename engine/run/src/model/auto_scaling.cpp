// SPDX-License-Identifier: Apache-2.0
#include "model/auto_scaling.h"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "batchscope/run/number_text.h"
#include "batchscope/run/prediction.h"
#include "words.h"

namespace batchscope::run {
namespace {

constexpr double kClearlyLess = 0.03;  // a share of goodput that enough steps have shown

// Lists the candidates that tell most: doublings, the present and the chosen.
std::string predictions(const goodput::ReplicaDecision& decision, int present) {
  std::string text;
  for (const goodput::Candidate& candidate : decision.candidates) {
    const int n = candidate.replicas;
    if (n != present && n != decision.replicas && n != decision.cap && !std::has_single_bit(unsigned(n)))
      continue;
    text += fmt::format("{}{} samples/s on {} ({:.2f} a replica)", text.empty() ? "" : ", ",
                        number_text(candidate.goodput), n, candidate.efficiency);
  }
  return text;
}

const goodput::Candidate* candidate_of(const goodput::ReplicaDecision& decision, int replicas) {
  const auto found = std::ranges::find(decision.candidates, replicas, &goodput::Candidate::replicas);
  return found == decision.candidates.end() ? nullptr : &*found;
}

std::string why_it_moves(const goodput::ReplicaDecision& decision, int from,
                         const goodput::ChooserLimits& limits) {
  if (from > limits.max_replicas) return fmt::format("as it may have no more than {}", limits.max_replicas);
  if (from < limits.min_replicas) return fmt::format("as it is to have at least {}", limits.min_replicas);
  const goodput::Candidate* const before = candidate_of(decision, from);
  const goodput::Candidate* const after = candidate_of(decision, decision.replicas);
  if (before == nullptr || after == nullptr || !(after->goodput > before->goodput) || !(before->goodput > 0))
    return fmt::format("as {} are below the efficiency floor", from);
  return fmt::format("for {:.0f} % more goodput", 100 * (after->goodput / before->goodput - 1));
}

std::string why_it_stays(const goodput::ReplicaDecision& decision, int replicas,
                         const goodput::ChooserLimits& limits) {
  if (limits.max_replicas == limits.min_replicas) return "its limits allow no other number";
  if (decision.missing > 0)
    return fmt::format("{} more model{} must find another number better", decision.missing,
                       decision.missing == 1 ? "" : "s");
  const goodput::Candidate* const present = candidate_of(decision, replicas);
  const bool floor_decides = std::ranges::any_of(decision.candidates, [&](const goodput::Candidate& other) {
    return present != nullptr && other.goodput > present->goodput && other.efficiency < limits.min_efficiency;
  });
  return floor_decides ? "more would be below the efficiency floor" : "no other number is clearly better";
}

}  // namespace

int most_replicas(const protocol::RunSpec& spec, const Machine& machine, const Machine& free, int present) {
  const bool gpus = uses_gpus(spec);
  const protocol::AutoReplicas range = spec.auto_replicas.value_or(protocol::AutoReplicas{});
  const int of_each = spec.devices_of_each();
  const int room = static_cast<int>(gpus ? machine.gpus.size() : machine.cores.size()) / of_each;
  const int unheld = static_cast<int>(gpus ? free.gpus.size() : free.cores.size()) / of_each;
  const int available = std::max(unheld, std::min(present, room));
  int most = range.max > 0 ? range.max : available;
  if (!spec.oversubscribe && (gpus || available < room)) most = std::min(most, available);
  return std::max(range.min, most);
}

int first_replicas(const protocol::RunSpec& spec, int replicas, const Machine& machine, const Machine& free) {
  if (!spec.auto_replicas) return replicas;
  protocol::RunSpec placed = spec;
  if (spec.device == "auto" && !free.gpus.empty()) placed.device = "cuda";
  return std::clamp(replicas, spec.auto_replicas->min, most_replicas(placed, machine, free));
}

AutoScaling::AutoScaling(const protocol::RunSpec& spec)
    : chooser_({.min_replicas = spec.auto_replicas->min,
                .max_replicas = spec.auto_replicas->min,
                .min_efficiency = spec.efficiency_floor}) {}

void AutoScaling::refuse(int replicas, double now) {
  Refusal& refusal = refusals_[replicas];
  refusal.patience = std::max(kPatience, 2 * refusal.patience);
  refusal.until = now + refusal.patience;
  chooser_.refuse(replicas);
}

std::optional<std::string> AutoScaling::judge(int from, const MeasuredRate& before, int replicas,
                                              const MeasuredRate& obtained, double now) {
  const double few = std::max(1.0, double(kEnoughSteps) / double(before.steps));
  const double less = kClearlyLess * std::sqrt(few);  // a mean of few steps is as much less certain
  if (from == replicas || !(obtained.goodput < (1 - less) * before.goodput)) return {};
  refuse(replicas, now);
  return fmt::format("auto: back to {}, where goodput was {} samples/s; it is {} on {}",
                     replica_count_text(from), number_text(before.goodput), number_text(obtained.goodput),
                     replicas);
}

AutoScaling::Verdict AutoScaling::consider(const protocol::Model& model, const goodput::RunContext& at,
                                           int most, double now, int replicas_per_node) {
  chooser_.allow(at.replicas);
  for (const auto& [replicas, refusal] : refusals_)
    if (now >= refusal.until) chooser_.allow(replicas);
  chooser_.set_max_replicas(most);
  const auto decision = chooser_.decide(
      [&](int replicas) {
        const int nodes = replicas_per_node > 0 ? (replicas + replicas_per_node - 1) / replicas_per_node : 1;
        const auto prediction = predict(model, replicas, nodes);
        return prediction ? prediction->goodput : 0;
      },
      at);
  const bool moves = decision.replicas != at.replicas;
  Verdict verdict;
  if (moves) verdict.replicas = decision.replicas;
  if (!moves && std::exchange(reported_, true)) return verdict;
  verdict.event =
      moves ? fmt::format("auto: from {} to {}, {}", at.replicas, replica_count_text(decision.replicas),
                          why_it_moves(decision, at.replicas, chooser_.limits()))
            : fmt::format("auto: stays on {} for now, as {}", replica_count_text(at.replicas),
                          why_it_stays(decision, at.replicas, chooser_.limits()));
  verdict.figures = fmt::format(
      "auto: predicted goodput {}; a restart takes {}, to be won back within {}; efficiency floor {:.2g}, at "
      "most {}",
      predictions(decision, at.replicas), seconds_text(decision.pause), seconds_text(decision.horizon),
      chooser_.limits().min_efficiency, replica_count_text(decision.cap));
  return verdict;
}

}  // namespace batchscope::run
