// SPDX-License-Identifier: Apache-2.0
//
// Ctrl-C in the middle of a long transfer: it unwinds as an exception does, so that half a file is removed by
// whoever was making it, and the program then dies of the signal, as its caller expects.
#pragma once

namespace batchscope::cli {

// Not an Error: nothing is wrong. SIGPIPE where the reader of our output has gone.
struct Interrupted {
  int signal;
};

// While one lives, the first SIGINT, SIGTERM or SIGHUP only makes throwIfInterrupted throw; a second one ends
// the program at once. One that was ignored before stays ignored. One guard at a time in a process.
class InterruptionGuard {
 public:
  InterruptionGuard();
  ~InterruptionGuard();
  InterruptionGuard(const InterruptionGuard&) = delete;
  InterruptionGuard& operator=(const InterruptionGuard&) = delete;
};

// Throws Interrupted. Call it between the blocks of a transfer; TransferProgress does.
void throwIfInterrupted();

// The program dies of it; returns the exit code for the case that it is ignored.
int dieOf(const Interrupted& interrupted);

}  // namespace batchscope::cli
