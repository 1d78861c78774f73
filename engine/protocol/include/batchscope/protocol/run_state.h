// SPDX-License-Identifier: Apache-2.0
/// \file
/// The states of a run. One that is `pending` waits in the queue of the pool for its first devices, and has
/// no supervisor yet. No supervisor writes `interrupted` and `damaged`; a reader finds them: a run is
/// `interrupted` where it claims to be active and its supervisor is gone, and `damaged` where its rows in the
/// catalogue cannot be read.
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

/// Returns the name as it stands in messages and in the catalogue: the enumerator's own.
const char* run_state_name(RunState state) noexcept;
RunState parse_run_state(const std::string& name);  ///< throws Error(corrupt)

/// Returns whether a supervisor should be alive.
bool is_active(RunState state) noexcept;
/// Returns whether `batchscope resume` can start another generation.
bool is_resumable(RunState state) noexcept;

}  // namespace batchscope::protocol
