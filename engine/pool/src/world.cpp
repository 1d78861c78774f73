// SPDX-License-Identifier: Apache-2.0
#include "world.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "devices.h"
#include "predecessor.h"

namespace batchscope::pool {

using protocol::RunState;
using storage::Catalogue;
using storage::Job;
using storage::Run;

namespace {

constexpr double kUnmeasuredPause = 0.5;         // s: a restart of a run that has had none
constexpr double kRememberedLeases = 24 * 3600;  // s

// Why a job may not begin or go on although devices may be free; none: it may.
std::optional<std::string> obstacle(Catalogue& catalogue, const protocol::PoolSettings& settings,
                                    const Run& run, const Job& job) {
  const Predecessor before = predecessor(catalogue, job);
  const bool in_vain = before.state == Predecessor::State::in_vain;
  if (job.held) return in_vain ? in_vain_text(job, before) : "";
  if (job.rests && !job.preempted) return "paused: batchscope resume " + run.id;
  if (run.state != RunState::pending) return std::nullopt;
  if (settings.draining) return "the pool is draining: nothing is started";
  switch (before.state) {
    case Predecessor::State::done: return std::nullopt;
    case Predecessor::State::awaited: return fmt::format("waits until {} {}", before.name, before.end);
    case Predecessor::State::in_vain: break;
  }
  catalogue.hold(run.id, true);
  return in_vain_text(job, before);
}

// Reads a run's moves from its generations. The pool's are its restarts on other devices ("pool") and its
// starts after a pause ("resume"). A crash, or a number that a person asked for, is not charged to the pool.
std::vector<policy::Move> moves_of(const std::vector<storage::Generation>& generations) {
  std::vector<policy::Move> moves;
  double left = 0;  // when the generation before had left
  for (const storage::Generation& generation : generations) {
    const bool resumed = generation.reason == "resume";
    if (resumed && left > 0) moves.push_back({left, 0, 0});
    const bool by_pool = resumed || generation.reason == "pool";
    moves.push_back(
        {generation.started, generation.replicas, by_pool ? std::max(generation.pause, 0.0) : 0.0});
    left = generation.ended;
  }
  return moves;
}

bool contains(const std::vector<std::string>& list, const std::string& one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

bool settled(RunState state) {
  return state == RunState::running || state == RunState::paused || state == RunState::pending ||
         state == RunState::interrupted;
}

// A member's standing. Whoever has devices and may not be moved is fixed, whatever else is said of it.
void judge(Catalogue& catalogue, const protocol::PoolSettings& settings, const Contact& contact,
           Member& member) {
  const auto set_standing = [&](Standing standing, const std::string& note) {
    member.standing = standing;
    member.note = note;
  };
  const RunState state = member.run.state;
  if (!member.job) return set_standing(Standing::fixed, "was started outside the queue");
  const Job& job = *member.job;
  const bool has_some = !member.held.empty();
  if (member.run.supervisor_pid > 0 && !contact.status && !contact.busy)
    return set_standing(has_some ? Standing::in_motion : Standing::outside, "its supervisor does not answer");
  if (contact.busy || (has_some && state != RunState::running))
    return set_standing(Standing::in_motion, fmt::format("is {}", run_state_name(state)));
  if (!settled(state)) return set_standing(Standing::outside, fmt::format("is {}", run_state_name(state)));
  if (has_some && !contact.status) return set_standing(Standing::in_motion, "its supervisor does not answer");
  if (has_some && !contact.status->rescalable)
    return set_standing(Standing::fixed, "cannot be moved: its program makes no checkpoints");
  if (const auto why = obstacle(catalogue, settings, member.run, job)) {
    member.to_be_paused = has_some && job.held;
    return set_standing(has_some && !job.held ? Standing::fixed : Standing::outside, *why);
  }
  if (has_some && !job.preemptible)
    return set_standing(Standing::fixed, "keeps its devices until it ends (--pin)");
  set_standing(Standing::free, "");
}

}  // namespace

World look(Catalogue& catalogue, const run::Machine& machine,
           const std::function<Contact(const std::string& run)>& contact) {
  World world;
  world.now = storage::now();
  world.machine = machine;
  world.settings = catalogue.pool_settings();

  std::map<std::string, std::vector<std::string>> held;
  for (const storage::Lease& lease : catalogue.leases()) held[lease.run].push_back(lease.device);
  std::map<std::string, double> had_devices, held_since;
  for (const storage::LeaseEvent& event : catalogue.lease_events(world.now - kRememberedLeases)) {
    had_devices[event.run] = std::max(had_devices[event.run], event.until > 0 ? event.until : world.now);
    if (event.until == 0) held_since.emplace(event.run, event.since);
  }

  std::vector<std::pair<std::string, std::optional<Job>>> ids;
  for (Job& job : catalogue.jobs()) ids.emplace_back(job.run, std::move(job));
  for (const auto& [id, devices] : held) {
    if (std::any_of(ids.begin(), ids.end(), [&id = id](const auto& one) { return one.first == id; }))
      continue;
    const auto run = catalogue.run(id);
    if (!run) continue;
    if (run->spec.auto_replicas && is_pools_choice(run->spec.device)) catalogue.enlist(id);
    ids.emplace_back(id, catalogue.job(id));
  }
  for (auto& [id, job] : ids) {
    auto run = catalogue.run(id);
    if (!run || run->state == RunState::damaged) continue;
    Contact known = contact(id);
    if (run->supervisor_pid == 0) known.status.reset();  // of one that has just died
    Member member;
    member.run = std::move(*run);
    member.job = std::move(job);
    member.model = catalogue.model(id);
    member.held = held[id];
    member.held_since = held_since[id];
    member.moves = moves_of(catalogue.generations(id, world.now - policy::kRememberedMoves));
    member.pause = kUnmeasuredPause;
    if (known.status) {
      // The rows come later.
      member.run.state = known.status->state;
      member.run.replicas = known.status->replicas;
      member.restarts = known.status->generation;
      member.max_profiled = known.status->max_profiled;
      if (known.status->pause > 0) member.pause = known.status->pause;
    }
    if (member.model)
      member.max_profiled = std::max(member.max_profiled, member.model->max_profiled_replicas);
    if (member.job) {
      const auto last = had_devices.find(id);
      member.waiting_since = std::max(member.job->submitted, last == had_devices.end() ? 0 : last->second);
    }
    judge(catalogue, world.settings, known, member);
    member.reserved = member.held;
    if (member.standing == Standing::in_motion && known.busy)
      for (const std::string& device : member.job->target)
        if (!contains(member.held, device)) member.reserved.push_back(device);
    world.members.push_back(std::move(member));
  }
  return world;
}

}  // namespace batchscope::pool
