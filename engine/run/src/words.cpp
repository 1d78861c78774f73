// SPDX-License-Identifier: Apache-2.0
//
// Amounts in words.
#include "words.h"

#include <array>
#include <cstdio>

namespace batchscope::run {

std::string replica_count_text(int count) { return std::to_string(count) + (count == 1 ? " replica" : " replicas"); }

std::string seconds_text(double seconds) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), seconds < 10 ? "%.2g s" : "%.0f s", seconds);
  return text.data();
}

std::string bytes_text(std::int64_t bytes) {
  const double megabytes = static_cast<double>(bytes) / 1e6;
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(),
                megabytes < 10     ? "%.1f MB"
                : megabytes < 1000 ? "%.0f MB"
                                   : "%.1f GB",
                megabytes < 1000 ? megabytes : megabytes / 1000);
  return text.data();
}

}  // namespace batchscope::run
