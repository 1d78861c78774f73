// SPDX-License-Identifier: Apache-2.0
//
// The output of a training program as text that is harmless to the terminal.
#pragma once

#include <string>
#include <string_view>

namespace batchscope::cli {

// Returns a line as a terminal would finally show it: the last state of a line that a progress bar overwrites
// by carriage returns, with tabs as blanks, without colours and other control sequences (ECMA-48).
std::string shownLine(std::string_view line);

}  // namespace batchscope::cli
