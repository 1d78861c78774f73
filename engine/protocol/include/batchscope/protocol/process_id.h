// SPDX-License-Identifier: Apache-2.0
/// \file
/// A process that can be recognised later. Process ids are used again, but not together with the moment at
/// which the process began (field 22 of `/proc/<pid>/stat`, in ticks since the machine started).
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace batchscope::protocol {

/// A process at one time.
struct ProcessId {
  pid_t pid = 0;                                      ///< 0: none
  std::int64_t start = 0;                             ///< 0: there was no such process
  bool operator==(const ProcessId&) const = default;  ///< the same process, not only the same number
};

/// Returns the process that has this number now; start 0 where none has.
ProcessId identify(pid_t pid);

/// Returns whether the same process still runs; a zombie does not.
bool is_alive(const ProcessId& process);

}  // namespace batchscope::protocol
