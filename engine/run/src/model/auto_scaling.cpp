// SPDX-License-Identifier: Apache-2.0
#include "model/auto_scaling.h"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <utility>

#include "batchscope/run/model.h"
#include "words.h"

namespace batchscope::run {
namespace {

goodput::ChooserLimits limits(const protocol::RunSpec& spec, const Machine& machine) {
  const bool gpus = uses_gpus(spec);
  const protocol::AutoReplicas range = spec.auto_replicas.value_or(protocol::AutoReplicas{});
  const auto devices = static_cast<int>(gpus ? machine.gpus.size() : machine.cores.size());
  int most = range.max > 0 ? range.max : devices;
  if (gpus && !spec.oversubscribe) most = std::min(most, devices);
  return {.min_replicas = range.min,
          .max_replicas = std::max(range.min, most),
          .min_efficiency = spec.efficiency_floor};
}

// Of many candidates those that tell most: doublings, the present and the chosen.
std::string predictions(const goodput::ReplicaDecision& decision, int present) {
  std::string text;
  for (const goodput::Candidate& candidate : decision.candidates) {
    const int n = candidate.replicas;
    if (n != present && n != decision.replicas && n != decision.cap && !std::has_single_bit(unsigned(n)))
      continue;
    text += fmt::format("{}{:.4g} samples/s on {} ({:.2f} a replica)", text.empty() ? "" : ", ",
                        candidate.goodput, n, candidate.efficiency);
  }
  return text;
}

}  // namespace

AutoScaling::AutoScaling(const protocol::RunSpec& spec, const Machine& machine)
    : chooser_(limits(spec, machine)) {}

AutoScaling::Verdict AutoScaling::consider(const protocol::Model& model, const goodput::RunContext& at) {
  const auto decision = chooser_.decide(goodput_function(model), batch_bounds(model), at);
  const bool moves = decision.replicas != at.replicas;
  Verdict verdict;
  if (moves) verdict.replicas = decision.replicas;
  if (!moves && std::exchange(reported_, true)) return verdict;
  verdict.event = fmt::format(
      "auto: {}; predicted goodput {}; a pause of {} charged over {}; efficiency floor {:.2g}, at most {}",
      moves ? fmt::format("from {} to {}", at.replicas, replica_count_text(decision.replicas))
            : fmt::format("stays on {} for now", replica_count_text(at.replicas)),
      predictions(decision, at.replicas), seconds_text(decision.pause), seconds_text(decision.horizon),
      chooser_.limits().min_efficiency, replica_count_text(decision.cap));
  return verdict;
}

}  // namespace batchscope::run
