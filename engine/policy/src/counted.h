// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace batchscope::policy {

// "1 device", "2 more devices"
inline std::string counted(int count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace batchscope::policy
