// SPDX-License-Identifier: Apache-2.0
//
// The command line: which commands and flags there are, their help, and what is said about a mistyped one.
#pragma once

namespace batchscope::cli {

// Parses, runs the command and reports what it throws, on standard error and with --json on standard output
// as well. Returns the exit code. Needs a QCoreApplication.
int runCommandLine(int argc, char** argv);

}  // namespace batchscope::cli
