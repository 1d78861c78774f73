// SPDX-License-Identifier: Apache-2.0
//
// The command line: its commands and flags, their help, and the errors for mistyped ones.
#pragma once

#include <vector>

#include "command_line/command_set.h"

namespace batchscope::cli {

// Each adds a part of the commands.
using CommandParts = std::vector<void (*)(CommandSet&)>;

// Runs a program with these commands: parses the arguments, then runs the command, or replaces this process
// by the command's own program. Reports what the command throws on standard error, and with --json also on
// standard output. Returns the exit code.
int runCommandLine(int argc, char** argv, const CommandParts& parts);

}  // namespace batchscope::cli
