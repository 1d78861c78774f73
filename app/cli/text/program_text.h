// SPDX-License-Identifier: Apache-2.0
//
// What a training program prints, shown as text that does nothing to the terminal.
#pragma once

#include <string>
#include <string_view>

namespace batchscope::cli {

// One line as a terminal would show it in the end: the last state of one that a progress bar writes again and
// again behind carriage returns, tabs as blanks, without colours and other control sequences (ECMA-48).
std::string shownLine(std::string_view line);

}  // namespace batchscope::cli
