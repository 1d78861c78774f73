// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <iterator>

namespace batchscope::run {

// Returns how many descriptors this process has open, and one more.
inline std::ptrdiff_t count_open_files() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                       std::filesystem::directory_iterator());
}

}  // namespace batchscope::run
