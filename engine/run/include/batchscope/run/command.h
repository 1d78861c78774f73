// SPDX-License-Identifier: Apache-2.0
/// \file
/// The command line, for programs that call it.
#pragma once

#include <string>
#include <vector>

#include "batchscope/protocol/control.h"

namespace batchscope::run {

/// Returns the words of the command line that ask the same of a run, such as {"rescale", "3f9a12bc", "3"}. A
/// run that is resumed is not watched.
std::vector<std::string> command_words(const std::string& run, const protocol::Request& request);

}  // namespace batchscope::run
