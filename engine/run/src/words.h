// SPDX-License-Identifier: Apache-2.0
//
// Amounts as events say them.
#pragma once

#include <cstdint>
#include <string>

namespace batchscope::run {

std::string replica_count_text(int count);   // "1 replica", "3 replicas"
std::string seconds_text(double seconds);    // "0.62 s", "5 s", "120 s"
std::string bytes_text(std::int64_t bytes);  // "0.2 MB", "45 MB", "1.3 GB"

}  // namespace batchscope::run
