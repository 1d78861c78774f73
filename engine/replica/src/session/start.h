// SPDX-License-Identifier: Apache-2.0
//
// The beginning of the session of training: from the environment to replicas that have met.
#pragma once

#include <memory>

#include "batchscope/replica/process_group.h"
#include "session/computing.h"

namespace batchscope::replica {

// Starts a session as init_replica does it, for a program that computes so.
void start_session(const ProcessGroupOptions& options, std::unique_ptr<Computing> computing);

Computing& computing();  // this session's

}  // namespace batchscope::replica
