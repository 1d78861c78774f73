// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where a replica's log says why its program failed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace batchscope::run {

/// Where in the log the account of the failure begins: the last Python traceback, or what C++'s terminate()
/// says of the exception, else the last line that is not blank. An offset in bytes, always the start of a
/// line; 0 where nothing is said.
std::size_t failure_offset(std::string_view log);

/// The frames of the log's last Python traceback that are the program's own, not of Python, of installed
/// packages or of batchscope; all of them where none is. Whole frames, the last ones, of at most `most_lines`
/// lines, each with its newline. Empty where the log does not end with a traceback.
std::string own_frames(std::string_view log, std::size_t most_lines);

}  // namespace batchscope::run
