// SPDX-License-Identifier: Apache-2.0
#include "changes.h"

#include <utility>

namespace batchscope::pool {
namespace {

std::string asked(const protocol::RunSpec& spec) {
  return spec.auto_replicas ? spec.auto_replicas->text() : std::to_string(spec.replicas);
}

}  // namespace

bool waits(const Member& member) { return member.standing == Standing::free && member.reserved.empty(); }

Change Changes::since_last(const World& world) {
  std::map<std::string, Seen> seen;
  Change change;
  const auto set_cause = [&](const std::string& cause) {
    if (change.cause.empty()) change.cause = cause;
  };
  if (settings_ && *settings_ != world.settings) {
    change.is_urgent = true;
    set_cause(settings_->agents != world.settings.agents && !world.settings.nodes_from.empty()
                  ? "the nodes have changed"
                  : "the settings were changed");
  }
  if (settings_ && (machine_.cores != world.machine.cores || machine_.gpus != world.machine.gpus))
    set_cause("the machine's devices have changed");
  for (const Member& member : world.members) {
    const Seen current{member.standing,
                       !member.held.empty(),
                       member.to_be_paused,
                       member.model ? member.model->step : -1,
                       member.max_profiled,
                       member.run.name,
                       member.job ? asked(member.run.spec) : ""};
    const auto before = seen_.find(member.run.id);
    if (before == seen_.end()) {
      set_cause(member.run.name + " arrived");
    } else if (before->second.standing != current.standing ||
               before->second.to_be_paused != current.to_be_paused) {
      set_cause(member.run.name + (waits(member)                        ? " waits"
                                   : current.standing == Standing::free ? " can be moved"
                                                                        : " " + member.note));
    } else if (before->second.asked != current.asked) {
      set_cause(member.run.name + " asks for another number of replicas");
      change.is_urgent = true;
    } else if (before->second.model_step != current.model_step ||
               before->second.max_profiled != current.max_profiled) {
      set_cause(member.run.name + " was measured again");
    } else if (before->second.has_devices != current.has_devices) {
      set_cause(member.run.name + (current.has_devices ? " has devices" : " gave its devices back"));
    } else if (before->second.name != current.name) {
      set_cause(before->second.name + " is called " + current.name + " now");
    }
    seen[member.run.id] = current;
  }
  for (const auto& [run, before] : seen_)
    if (!seen.contains(run)) set_cause(before.name + " has ended");
  if (!settings_) set_cause("the pool began");
  seen_ = std::move(seen);
  settings_ = world.settings;
  machine_ = world.machine;
  return change;
}

}  // namespace batchscope::pool
