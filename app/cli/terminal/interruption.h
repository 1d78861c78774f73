// SPDX-License-Identifier: Apache-2.0
//
// Ctrl-C in the middle of a long transfer. It is thrown as an exception, so that an unfinished file is
// removed. The program then dies of the signal, as its caller expects.
#pragma once

namespace batchscope::cli {

// Not an Error: nothing is wrong. The signal is SIGPIPE if the reader of our output has gone.
struct Interrupted {
  int signal;
};

// While a guard lives, the first SIGINT, SIGTERM or SIGHUP only makes throwIfInterrupted throw; a second one
// ends the program at once. A signal that was ignored before stays ignored. One guard at a time in a process.
class InterruptionGuard {
 public:
  InterruptionGuard();
  ~InterruptionGuard();
  InterruptionGuard(const InterruptionGuard&) = delete;
  InterruptionGuard& operator=(const InterruptionGuard&) = delete;
};

// Throws Interrupted. Call it between the blocks of a transfer; TransferProgress does.
void throwIfInterrupted();

// Makes the program die of the signal. Returns the exit code for the case that the signal is ignored.
int dieOf(const Interrupted& interrupted);

}  // namespace batchscope::cli
