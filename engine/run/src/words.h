// SPDX-License-Identifier: Apache-2.0
//
// Amounts, and what is said of a program that tells nothing, as events say them.
#pragma once

#include <cstdint>
#include <string>

namespace batchscope::run {

std::string replica_count_text(int count);   // "1 replica", "3 replicas"
std::string seconds_text(double seconds);    // "0.62 s", "5 s", "120 s"
std::string bytes_text(std::int64_t bytes);  // "0.2 MB", "45 MB", "1.3 GB"

std::string exit_text(int status);  // of waitpid: "by signal 9", "with exit code 1"

// Says that nothing of it is recorded, that its replicas share no work, and which lines would change both.
std::string silent_program_text(int replicas, bool is_python);

}  // namespace batchscope::run
