// SPDX-License-Identifier: Apache-2.0
//
// The replicas of a run are written to runs/<id>/replicas.json while they live, so that the supervisor after
// one that was killed finds what that one left running.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <vector>

#include "batchscope/protocol/process_id.h"

namespace batchscope::run {

using protocol::ProcessId;

// Returns the processes whose parent is this one.
std::vector<pid_t> children();

void write_replicas(const std::filesystem::path& file, const std::vector<ProcessId>& replicas);
// Empty where there is no such file or it makes no sense.
std::vector<ProcessId> read_replicas(const std::filesystem::path& file);

}  // namespace batchscope::run
