// SPDX-License-Identifier: Apache-2.0
/// \file
/// The states of a run. One that is `pending` waits in the queue of the pool for its first devices, and has
/// no supervisor yet. Two are never written by a supervisor, but found by a reader: `interrupted`, where a
/// run claims to be active and its supervisor is gone, and `damaged`, where what the catalogue holds of a run
/// cannot be read.
#pragma once

#include <string>

namespace batchscope::protocol {

/// The states of a run.
enum class RunState {
  pending,  ///< in the queue of the pool, for its first devices: it has no supervisor yet
  starting,
  running,
  restarting,
  pausing,
  paused,
  stopping,
  stopped,
  finished,
  failed,
  interrupted,
  damaged
};

/// The name as it stands in messages and in the catalogue: the state's own.
const char* run_state_name(RunState state) noexcept;
RunState parse_run_state(const std::string& name);  ///< throws Error(corrupt)

/// A supervisor should be alive.
bool is_active(RunState state) noexcept;
/// `batchscope resume` can start another generation.
bool is_resumable(RunState state) noexcept;

}  // namespace batchscope::protocol
