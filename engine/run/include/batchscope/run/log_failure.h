// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where a replica's log says why its program failed.
#pragma once

#include <cstddef>
#include <string_view>

namespace batchscope::run {

/// Where in the log the account of the failure begins: the last Python traceback, or what C++'s terminate()
/// says of the exception, else the last line that is not blank. An offset in bytes, always the start of a
/// line; 0 where nothing is said.
std::size_t failure_offset(std::string_view log);

}  // namespace batchscope::run
