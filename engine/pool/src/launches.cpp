// SPDX-License-Identifier: Apache-2.0
#include "launches.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "batchscope/protocol/error.h"
#include "batchscope/run/client.h"

namespace batchscope::pool {

using protocol::RunState;

namespace {

// Each of these, or an error that says who has it.
storage::Catalogue::Choice unless_taken(const std::vector<std::string>& devices) {
  return [devices](const std::vector<storage::Lease>& of_others, const std::vector<std::string>& own) {
    const auto contains = [](const std::vector<std::string>& list, const std::string& device) {
      return std::find(list.begin(), list.end(), device) != list.end();
    };
    for (const storage::Lease& lease : of_others)
      if (contains(devices, lease.device) && !contains(own, lease.device))
        throw Error(ErrorKind::conflict, fmt::format("{} has {}", lease.name, lease.device));
    return devices;
  };
}

bool waits_for_supervisor(const std::optional<storage::Run>& run) {
  return run && (run->state == RunState::pending || run->state == RunState::interrupted);
}

bool asks_for_the_same(const protocol::RunSpec& a, const protocol::RunSpec& b) {
  return a.replicas == b.replicas && a.auto_replicas == b.auto_replicas;
}

}  // namespace

Launch Launches::start(const Member& member, const std::vector<std::string>& devices) {
  const std::string& id = member.run.id;
  try {
    catalogue_.lease_devices(id, unless_taken(devices), -1, "pool");
    // Nobody cancels a job whose devices are leased, but somebody may have before, or asked for others.
    const auto run = catalogue_.run(id);
    if (!waits_for_supervisor(run) || !asks_for_the_same(run->spec, member.run.spec)) {
      catalogue_.release_devices(id);
      return Launch::overtaken;
    }
  } catch (const Error& error) {
    failures_[id] = fmt::format("not started, because {}", error.what());
    return Launch::failed;
  }
  try {
    storage::Job job = *member.job;
    if (member.run.state == RunState::interrupted) {
      if (++job.crashes > member.run.spec.restart_budget) {
        give_up(member, fmt::format("its supervisor died {} times", job.crashes));
        return Launch::failed;
      }
      catalogue_.put_job(job);
    }
    protocol::RunSpec spec = member.run.spec;
    spec.replicas = static_cast<int>(devices.size()) / spec.devices_of_each();
    // One that keeps its devices is not to choose their number itself where no pool does.
    if (!job.preemptible) spec.auto_replicas.reset();
    if (spec.replicas != member.run.spec.replicas || spec.auto_replicas != member.run.spec.auto_replicas)
      catalogue_.set_spec(id, spec);
    under_way_[id] = run::spawn_supervisor(id, spec.replicas, devices);
    supervisors_.expect(id);
    return Launch::begun;
  } catch (const Error& error) {
    count(member, error.what());
    return Launch::failed;
  }
}

void Launches::look_after(const World& world) {
  for (const Member& member : world.members) {
    const std::string& id = member.run.id;
    if (member.run.supervisor_pid > 0) failures_.erase(id);
    const auto found = under_way_.find(id);
    if (found == under_way_.end()) continue;
    const bool lives = is_alive(found->second);
    if (supervisors_.expected(id) && lives) continue;
    const protocol::ProcessId process = found->second;
    under_way_.erase(found);
    const auto run = catalogue_.run(id);  // as it is now that its supervisor may have gone
    if (!member.job || !waits_for_supervisor(run)) continue;
    supervisors_.give_up(id);
    if (run->state == RunState::pending) {
      const std::string last_words = run::supervisor_last_words(id);
      count(member, lives ? fmt::format("its supervisor, process {}, does not answer", process.pid)
                    : last_words.empty() ? "its supervisor ended at once"
                                         : last_words);
    } else {
      catalogue_.release_devices(id);  // the death is counted when it is started again
    }
  }
  const auto has_gone = [&](const auto& entry) {
    return std::none_of(world.members.begin(), world.members.end(),
                        [&](const Member& member) { return member.run.id == entry.first; });
  };
  std::erase_if(under_way_, has_gone);
  std::erase_if(failures_, has_gone);
}

std::string Launches::why(const std::string& run) const {
  const auto found = failures_.find(run);
  return found == failures_.end() ? "" : found->second;
}

// A start that failed for a reason of the run's own.
void Launches::count(const Member& member, const std::string& why) {
  const std::string& id = member.run.id;
  catalogue_.release_devices(id);
  const auto row = catalogue_.job(id);
  if (!row) return;
  storage::Job job = *row;
  const int budget = member.run.spec.restart_budget;
  // The start of an interrupted run was counted when it was tried.
  if (member.run.state == RunState::pending) ++job.crashes;
  if (job.crashes > budget) return give_up(member, "its supervisor did not start: " + why);
  catalogue_.put_job(job);
  failures_[id] =
      fmt::format("its supervisor did not start ({} of {} tries): {}", job.crashes, budget + 1, why);
  std::fprintf(stderr, "run %s: %s\n", id.c_str(), failures_[id].c_str());
  catalogue_.add_event(id, member.restarts, member.run.step, "warning", failures_[id]);
}

void Launches::give_up(const Member& member, const std::string& why) {
  const std::string& id = member.run.id;
  catalogue_.add_event(id, member.restarts, member.run.step, "error", "failed: " + why);
  catalogue_.set_state(id, RunState::failed, why);  // which ends its leases
}

}  // namespace batchscope::pool
