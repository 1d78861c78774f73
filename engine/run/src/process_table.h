// SPDX-License-Identifier: Apache-2.0
//
// Processes told apart for certain: a process id with its start time, because ids are used again. The
// replicas of a run are written to runs/<id>/replicas.json while they live, so that the supervisor after
// one that was killed finds what that one left running.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <vector>

namespace batchscope::run {

struct ProcessId {
  pid_t pid = 0;
  std::uint64_t started = 0;  // clock ticks since boot, /proc/PID/stat

  bool operator==(const ProcessId&) const = default;
};

// With started 0 where there is no such process.
ProcessId identify(pid_t pid);
// The same process, and no zombie.
bool alive(const ProcessId& process);
// Those whose parent is this process.
std::vector<pid_t> children();

void write_replicas(const std::filesystem::path& file, const std::vector<ProcessId>& replicas);
// Empty where there is no such file or it makes no sense.
std::vector<ProcessId> read_replicas(const std::filesystem::path& file);

}  // namespace batchscope::run
