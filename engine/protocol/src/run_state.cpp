// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/run_state.h"

#include <array>
#include <utility>

#include "batchscope/protocol/error.h"

namespace batchscope::protocol {
namespace {

constexpr std::array<std::pair<RunState, const char*>, 12> kNames{{
    {RunState::pending, "pending"},
    {RunState::starting, "starting"},
    {RunState::running, "running"},
    {RunState::restarting, "restarting"},
    {RunState::pausing, "pausing"},
    {RunState::paused, "paused"},
    {RunState::stopping, "stopping"},
    {RunState::stopped, "stopped"},
    {RunState::finished, "finished"},
    {RunState::failed, "failed"},
    {RunState::interrupted, "interrupted"},
    {RunState::damaged, "damaged"},
}};

}  // namespace

const char* run_state_name(RunState state) noexcept {
  for (const auto& [value, name] : kNames)
    if (value == state) return name;
  return "unknown";
}

RunState parse_run_state(const std::string& name) {
  for (const auto& [value, known] : kNames)
    if (name == known) return value;
  throw Error(ErrorKind::corrupt, "unknown run state \"" + name + "\"");
}

bool is_active(RunState state) noexcept {
  switch (state) {
    case RunState::starting:
    case RunState::running:
    case RunState::restarting:
    case RunState::pausing:
    case RunState::paused:
    case RunState::stopping: return true;
    default: return false;
  }
}

bool is_resumable(RunState state) noexcept {
  return state == RunState::paused || state == RunState::stopped || state == RunState::failed ||
         state == RunState::interrupted;
}

}  // namespace batchscope::protocol
