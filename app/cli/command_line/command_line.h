// SPDX-License-Identifier: Apache-2.0
//
// The command line: which commands and flags there are, their help, and what is said about a mistyped one.
#pragma once

#include <vector>

#include "command_line/command_set.h"

namespace batchscope::cli {

// Each adds a part of the commands.
using CommandParts = std::vector<void (*)(CommandSet&)>;

// A program with these commands. Parses, runs the command, or becomes the program that it is, and reports
// what it throws, on standard error and with --json on standard output as well. Returns the exit code.
int runCommandLine(int argc, char** argv, const CommandParts& parts);

}  // namespace batchscope::cli
