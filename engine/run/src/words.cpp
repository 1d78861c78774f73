// SPDX-License-Identifier: Apache-2.0
//
// Amounts in words.
#include "words.h"

#include <array>
#include <cstdio>

namespace batchscope::run {

std::string on_replicas(int count) { return std::to_string(count) + (count == 1 ? " replica" : " replicas"); }

std::string seconds_text(double seconds) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), seconds < 10 ? "%.2g s" : "%.0f s", seconds);
  return text.data();
}

}  // namespace batchscope::run
