// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/tone.h"

#include <algorithm>
#include <initializer_list>

namespace batchscope::common {

const char* toneOf(std::string_view state) noexcept {
  const auto isOneOf = [state](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), state) != names.end();
  };
  if (state == "running") return "good";
  if (isOneOf({"failed", "interrupted", "damaged", "diverged"})) return "bad";
  return isOneOf({"finished", "stopped", "succeeded", "cancelled"}) ? "plain" : "warning";
}

}  // namespace batchscope::common
