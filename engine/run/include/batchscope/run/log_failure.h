// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds where a replica's log says why its program failed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace batchscope::run {

/// Returns where in the log the report of the failure begins: the last Python traceback, or the exception as
/// C++'s terminate() prints it, else the last line that is not blank. An offset in bytes, always the start of
/// a line; 0 where there is no report.
std::size_t failure_offset(std::string_view log);

/// Returns the frames of the log's last Python traceback that are the program's own, not Python's, installed
/// packages' or batchscope's; all frames where none is. They are the last whole frames of at most
/// `most_lines` lines, each with its newline. Empty where the log does not end with a traceback.
std::string own_frames(std::string_view log, std::size_t most_lines);

}  // namespace batchscope::run
