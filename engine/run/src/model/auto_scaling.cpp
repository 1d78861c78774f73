// SPDX-License-Identifier: Apache-2.0
//
// Decisions and their numbers.
#include "model/auto_scaling.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
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

std::string number(const char* form, double value) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), form, value);
  return text.data();
}

// Of many candidates those that tell most: doublings, the present and the chosen.
std::string predictions(const goodput::ReplicaDecision& decision, int present) {
  std::string text;
  for (const goodput::Candidate& candidate : decision.candidates) {
    const int n = candidate.replicas;
    if (n != present && n != decision.replicas && n != decision.cap && !std::has_single_bit(unsigned(n)))
      continue;
    text += (text.empty() ? "" : ", ") + number("%.4g", candidate.goodput) + " samples/s on " +
            std::to_string(n) + " (" + number("%.2f", candidate.efficiency) + " a replica)";
  }
  return text;
}

}  // namespace

AutoScaling::AutoScaling(const protocol::RunSpec& spec, const Machine& machine)
    : chooser_(limits(spec, machine)) {}

AutoScaling::Verdict AutoScaling::consider(const protocol::Model& model, const goodput::Standing& at) {
  const auto decision = chooser_.decide(goodput_function(model), batch_bounds(model), at);
  const bool moves = decision.replicas != at.replicas;
  Verdict verdict;
  if (moves) verdict.replicas = decision.replicas;
  if (!moves && std::exchange(told_, true)) return verdict;
  verdict.event =
      "auto: " +
      (moves ? "from " + std::to_string(at.replicas) + " to " + replica_count_text(decision.replicas)
             : "stays on " + replica_count_text(at.replicas) + " for now") +
      "; predicted goodput " + predictions(decision, at.replicas) + "; a pause of " +
      seconds_text(decision.pause) + " charged over " + seconds_text(decision.horizon) +
      "; efficiency floor " + number("%.2g", chooser_.limits().min_efficiency) + ", at most " +
      replica_count_text(decision.cap);
  return verdict;
}

}  // namespace batchscope::run
