// SPDX-License-Identifier: Apache-2.0
#include "model/auto_scaling.h"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <utility>

#include "batchscope/run/number_text.h"
#include "batchscope/run/prediction.h"
#include "words.h"

namespace batchscope::run {
namespace {

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

}  // namespace

int most_replicas(const protocol::RunSpec& spec, const Machine& machine, const Machine& free, int present) {
  const bool gpus = uses_gpus(spec);
  const protocol::AutoReplicas range = spec.auto_replicas.value_or(protocol::AutoReplicas{});
  const auto devices_in_all = static_cast<int>(gpus ? machine.gpus.size() : machine.cores.size());
  const auto unheld = static_cast<int>(gpus ? free.gpus.size() : free.cores.size());
  const int available = std::max(unheld, std::min(present, devices_in_all));
  int most = range.max > 0 ? range.max : available;
  if (!spec.oversubscribe && (gpus || available < devices_in_all)) most = std::min(most, available);
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

AutoScaling::Verdict AutoScaling::consider(const protocol::Model& model, const goodput::RunContext& at,
                                           int most, double now, int replicas_per_node) {
  refusals_.erase(at.replicas);
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
  verdict.event = fmt::format(
      "auto: {}; predicted goodput {}; a pause of {}, to be won back within {}; efficiency floor {:.2g}, at "
      "most {}",
      moves ? fmt::format("from {} to {}", at.replicas, replica_count_text(decision.replicas))
            : fmt::format("stays on {} for now", replica_count_text(at.replicas)),
      predictions(decision, at.replicas), seconds_text(decision.pause), seconds_text(decision.horizon),
      chooser_.limits().min_efficiency, replica_count_text(decision.cap));
  return verdict;
}

}  // namespace batchscope::run
