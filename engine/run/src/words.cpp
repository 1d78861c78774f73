// SPDX-License-Identifier: Apache-2.0
#include "words.h"

#include <fmt/format.h>

namespace batchscope::run {

std::string replica_count_text(int count) {
  return fmt::format("{} {}", count, count == 1 ? "replica" : "replicas");
}

std::string seconds_text(double seconds) {
  return seconds < 10 ? fmt::format("{:.2g} s", seconds) : fmt::format("{:.0f} s", seconds);
}

std::string bytes_text(std::int64_t bytes) {
  const double megabytes = static_cast<double>(bytes) / 1e6;
  if (megabytes >= 1000) return fmt::format("{:.1f} GB", megabytes / 1000);
  return megabytes < 10 ? fmt::format("{:.1f} MB", megabytes) : fmt::format("{:.0f} MB", megabytes);
}

}  // namespace batchscope::run
