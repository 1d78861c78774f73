// SPDX-License-Identifier: Apache-2.0
//
// The last lines of a log, for an event or an error that says why a process ended.
#pragma once

#include <filesystem>
#include <string>

namespace batchscope::run {

// At most so many lines, without the trailing newline, as valid UTF-8; empty where there is no log.
std::string log_tail(const std::filesystem::path& file, int lines);

}  // namespace batchscope::run
