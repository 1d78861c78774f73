// SPDX-License-Identifier: Apache-2.0
//
// The error for a client that finds nobody at a run's control socket.
#pragma once

#include <string>

#include "batchscope/protocol/error.h"

namespace batchscope::run {

// not_found where the run has no supervisor, io where it has one whose socket is gone. Asks the catalogue.
Error absent_supervisor(const std::string& run);

}  // namespace batchscope::run
