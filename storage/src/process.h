// SPDX-License-Identifier: Apache-2.0
//
// A process that can be recognised later: process ids are used again, a process id together with the
// moment its process began (field 22 of /proc/<pid>/stat, in ticks since the machine started) is not.
#pragma once

#include <cstdint>

namespace batchscope::storage {

struct ProcessId {
  std::int64_t pid = 0;  // 0: none
  std::int64_t start = 0;

  bool operator==(const ProcessId&) const = default;
};

ProcessId this_process();

// It runs still; a zombie does not.
bool is_alive(const ProcessId& process);

}  // namespace batchscope::storage
