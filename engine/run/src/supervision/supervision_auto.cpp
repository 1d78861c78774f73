// SPDX-License-Identifier: Apache-2.0
//
// The number of replicas, where the supervisor chooses it.
#include <algorithm>
#include <utility>

#include "batchscope/protocol/error.h"
#include "supervision/supervision.h"

namespace batchscope::run {

using namespace protocol;

// A person's choice outlives this supervisor.
void Supervision::choose_replicas(const std::optional<AutoReplicas>& range) {
  if (range == spec_.auto_replicas) return;
  spec_.auto_replicas = range;
  auto_.reset();
  if (range) auto_.emplace(placed_spec(), Machine::here());
  recorder_.spec(spec_);
  tell("info", range ? "auto replicas are on: " + range->text() : "auto replicas are off");
}

void Supervision::on_model(const Model& model) {
  if (!auto_ || !machine_.training()) return;
  goodput::Standing at;
  at.replicas = record_.replicas;
  at.max_profiled_replicas = std::max(model.max_profiled_replicas, record_.replicas);
  at.pause = known_pause_;
  RunStatus now;
  board_.fill(now);
  at.remaining = now.remaining;
  const AutoScaling::Verdict verdict = auto_->consider(model, at);
  if (!verdict.event.empty()) tell("info", verdict.event);
  if (!verdict.replicas) return;
  try {
    move_to(*verdict.replicas, "auto");
  } catch (const Error& error) {
    auto_->refuse(*verdict.replicas);
    tell("warning", std::string("auto: the move is not made: ") + error.what());
  }
  settle();
}

}  // namespace batchscope::run
