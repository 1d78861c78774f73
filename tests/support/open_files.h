// SPDX-License-Identifier: Apache-2.0
//
// Whether files stay open that should not.
#pragma once

#include <filesystem>
#include <iterator>

namespace batchscope::testing {

// Returns how many descriptors this process has open, and one more.
inline std::ptrdiff_t count_open_files() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                       std::filesystem::directory_iterator());
}

}  // namespace batchscope::testing
