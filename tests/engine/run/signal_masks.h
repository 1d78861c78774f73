// SPDX-License-Identifier: Apache-2.0
//
// Signals of a process as its /proc/PID/status lists them, without those that are the system's library's own.
#pragma once

#include <cstdint>
#include <string>

namespace batchscope::run {

// "SigBlk": those that wait, "SigIgn": those that are ignored; bit 0 is signal 1.
inline std::uint64_t signals_of(const std::string& status, const std::string& name) {
  constexpr std::uint64_t kOrdinary = 0x7fffffff;
  const auto at = status.find(name + ":\t");
  return at == std::string::npos ? ~kOrdinary
                                 : std::stoull(status.substr(at + name.size() + 2), nullptr, 16) & kOrdinary;
}

}  // namespace batchscope::run
