// SPDX-License-Identifier: Apache-2.0
//
// --watch: a text that is made again and again until Ctrl-C. On a terminal it is redrawn in place on the
// alternate screen, and its last state is then printed on the normal screen. Elsewhere each new state follows
// the one before.
#pragma once

#include <functional>
#include <string>

namespace batchscope::cli {

// Calls `text` four times a second; it returns all lines, each with its newline, and may throw Error. Returns
// at SIGINT or SIGTERM.
void watch(const std::function<std::string()>& text);

}  // namespace batchscope::cli
