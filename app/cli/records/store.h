// SPDX-License-Identifier: Apache-2.0
//
// Functions that nearly every command needs: opening the catalogue, a run's title, and whether a supervisor
// has it.
#pragma once

#include <string>

#include "batchscope/common/run_control.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/storage/catalogue.h"
#include "text/format.h"

namespace batchscope::cli {

inline storage::Catalogue openCatalogue() { return storage::Catalogue(protocol::catalogue_path()); }

using common::title;

// Returns whether a supervisor has the run, or should.
inline bool isHeld(const storage::Run& run) {
  return protocol::is_active(run.state) || run.supervisor_pid != 0;
}

// Returns whether the run does not continue by itself: it is not active, or paused.
inline bool isAtRest(protocol::RunState state) {
  return !protocol::is_active(state) || state == protocol::RunState::paused;
}

}  // namespace batchscope::cli
