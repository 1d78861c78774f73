// SPDX-License-Identifier: Apache-2.0
//
// Functions that nearly every command needs: the catalogue, and how a run is called and judged.
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

// A supervisor has it, or should.
inline bool isHeld(const storage::Run& run) {
  return protocol::is_active(run.state) || run.supervisor_pid != 0;
}

// Goes on no further by itself: not active any more, or paused.
inline bool isAtRest(protocol::RunState state) {
  return !protocol::is_active(state) || state == protocol::RunState::paused;
}

}  // namespace batchscope::cli
