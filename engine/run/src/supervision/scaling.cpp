// SPDX-License-Identifier: Apache-2.0
#include "supervision/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/run/pool.h"

namespace batchscope::run {

using namespace protocol;

Scaling::Scaling(storage::Catalogue& catalogue, const std::string& run, RunSpec& spec, RunMachine& machine,
                 const int& next_generation, Recorder& recorder, Tell tell)
    : catalogue_(catalogue),
      run_(run),
      spec_(spec),
      machine_(machine),
      next_generation_(next_generation),
      recorder_(recorder),
      tell_(std::move(tell)),
      leases_(catalogue, run, Machine::here()) {
  leases_.on_trouble = [this](const std::string& text) { tell_("warning", text); };
}

void Scaling::use_nodes(int replicas_per_node, std::vector<Node> others) {
  if (replicas_per_node == 0) {
    const bool gpus = uses_gpus(spec_) || (spec_.device == "auto" && !leases_.machine().gpus.empty());
    RunSpec spec = spec_;
    if (spec.device == "auto") spec.device = "cuda";
    replicas_per_node = gpus ? std::max(1, room_for_replicas(spec, leases_.machine())) : 1;
  }
  leases_.use_nodes({replicas_per_node, std::move(others)});
}

std::optional<int> Scaling::room() const {
  if (!leases_.nodes() || leases_.nodes()->replicas_per_node == 0) return std::nullopt;
  return leases_.nodes()->most_replicas();
}

void Scaling::automate() {
  auto_.reset();
  if (spec_.auto_replicas) auto_.emplace(spec_);
}

int Scaling::first_replicas(int replicas) const {
  if (spec_.auto_replicas && room()) return std::clamp(replicas, spec_.auto_replicas->min, most_over_nodes());
  return run::first_replicas(spec_, replicas, leases_.machine(), leases_.free());
}

int Scaling::most_over_nodes() const {
  const int asked_most = spec_.auto_replicas->max;
  return std::max(spec_.auto_replicas->min, asked_most > 0 ? std::min(asked_most, *room()) : *room());
}

void Scaling::begin_generation(const storage::Generation& before, bool was_under_way) {
  if (!auto_) return;
  if (before.reason == "auto" && !was_under_way) auto_->refuse(before.replicas, monotonic_seconds());
  auto_->begin_generation();
}

const Placement& Scaling::take_devices(const Allocation& allocation, const std::string& why) {
  return leases_.take(allocation.devices.empty() ? leases_.placed(spec_) : spec_, allocation,
                      next_generation_, why);
}

void Scaling::keep_devices() {
  if (machine_.state() == RunState::paused)
    leases_.keep({});
  else if (machine_.training())
    leases_.keep({machine_.allocation(), machine_.target()});
}

void Scaling::program_uses(const std::string& device) {
  if (!leases_.learn_device(spec_, device)) return;
  if (device.starts_with("cuda")) return;
  if (!machine_.allocation().devices.empty())
    return tell_("warning", "the program trains on cores and cannot use the GPUs that it was given");
  leases_.keep({});
  leases_.take(leases_.placed(spec_), machine_.allocation(), next_generation_ - 1, "start");
}

int Scaling::shared_devices() const {
  const Allocation& present = machine_.allocation();
  const auto named = static_cast<int>(present.devices.size()) / spec_.devices_of_each();
  if (named > 0 && named < present.replicas) return named;
  const RunSpec placed = leases_.placed(spec_);
  int count = room_for_replicas(placed, leases_.machine());
  if (leases_.nodes())
    for (const Node& node : leases_.nodes()->others) count += room_for_replicas(placed, node.machine);
  return std::max(count, 1);
}

void Scaling::move_to(const Allocation& allocation, const std::string& reason) {
  const Allocation to = leases_.as_taken(allocation);
  if (!allocation.devices.empty() && machine_.training() && to == machine_.allocation()) return;
  take_devices(to, reason);
  try {
    machine_.rescale(to, reason);
  } catch (const Error&) {
    keep_devices();
    throw;
  }
}

namespace {

std::string limits_text(const AutoReplicas& range) {
  if (range.max > 0) return fmt::format(", from {} to {}", range.min, range.max);
  return range.min > 1 ? fmt::format(", at least {}", range.min) : "";
}

}  // namespace

void Scaling::choose(const std::optional<AutoReplicas>& range, int number) {
  if (number == 0) number = machine_.target().replicas;
  const bool fixes = !range && number > 0 && number != spec_.replicas && in_queue();
  if (fixes) spec_.replicas = number;
  const bool changes = range != spec_.auto_replicas;
  spec_.auto_replicas = range;
  if (changes) automate();
  if (changes || fixes) recorder_.spec(spec_);
  if (!changes) return;
  tell_("info", range ? "auto is on: the number of replicas follows goodput" + limits_text(*range)
                      : "auto is off: the number of replicas stays as it is");
}

void Scaling::ask_pool(const std::optional<int>& replicas, const std::optional<AutoReplicas>& range) {
  if (replicas) {
    const auto of_run = job();
    if (of_run && !of_run->preemptible && *replicas != machine_.target().replicas)
      throw Error(
          ErrorKind::conflict,
          fmt::format("the run keeps its devices until it ends (--pin). To continue it on another number of "
                      "replicas: batchscope stop {}, then batchscope resume {} --replicas {}",
                      run_, run_, *replicas));
    insist_on_devices(spec_, *replicas, catalogue_);
  }
  choose(range, replicas.value_or(0));
}

std::optional<storage::Job> Scaling::job() const {
  try {
    return catalogue_.job(run_);
  } catch (const Error&) {
    return std::nullopt;  // the number is chosen all the same, and the pool may choose again
  }
}

void Scaling::judge(int from, const MeasuredRate& before, int replicas, const MeasuredRate& obtained) {
  if (!auto_ || !machine_.training() || kPool.alive()) return;
  const auto event = auto_->judge(from, before, replicas, obtained, monotonic_seconds());
  if (!event) return;
  tell_("info", *event);
  try {
    move_to(from, "auto");
  } catch (const Error& error) {
    tell_("warning", std::string("auto: the run stays as it is for now: ") + error.what());
  }
}

void Scaling::consider(const Model& model, const goodput::RunContext& at) {
  if (!auto_ || !machine_.training()) return;
  if (const bool decided = std::exchange(pool_decides_, kPool.alive()); pool_decides_) {
    if (!decided) tell_("debug", "the pool decides the number of replicas");
    return;
  }
  const double now = monotonic_seconds();
  const int most = room()
                       ? most_over_nodes()
                       : most_replicas(leases_.placed(spec_), leases_.machine(), leases_.free(), at.replicas);
  const AutoScaling::Verdict verdict =
      auto_->consider(model, at, most, now, leases_.nodes() ? leases_.nodes()->replicas_per_node : 0);
  if (!verdict.event.empty()) {
    tell_("info", verdict.event);
    tell_("debug", verdict.figures);
  }
  if (!verdict.replicas) return;
  try {
    move_to(*verdict.replicas, "auto");
  } catch (const Error& error) {
    auto_->refuse(*verdict.replicas, now);
    tell_("warning", std::string("auto: the run does not move for now: ") + error.what());
  }
}

}  // namespace batchscope::run
