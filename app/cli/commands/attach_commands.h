// SPDX-License-Identifier: Apache-2.0
//
// The part that run, resume and attach share: following a run to its end, the sentence that says how it
// ended, and the exit code that follows from it.
#pragma once

#include "batchscope/protocol/json.h"
#include "follow/attachment.h"
#include "follow/expectation.h"
#include "terminal/interrupts.h"

namespace batchscope::cli {

// Attaches with the view that suits standard output. Create the interrupts before the run is started, so that
// a Ctrl-C in between is not lost.
Outcome followRun(storage::Catalogue& catalogue, const std::string& id, const AttachOptions& options,
                  Interrupts& interrupts, bool json);

// Waits, for --detach, until the run has begun (`detached`), or has ended before that.
Outcome awaitBeginning(storage::Catalogue& catalogue, const std::string& id, Interrupts& interrupts);

// Prints the answer of `run --detach` and `fork --detach`: `started` as JSON, or the id alone, or how a run
// that failed at once ended. Returns the exit code.
int printStarted(const Outcome& outcome, const protocol::Json& started, bool json);

// Returns the exit code: 0 finished, or ended in a state that an expectation asked for; 143 stopped or paused
// after a checkpoint; 6 the time was up; 5 an expectation failed; 1 failed, interrupted, or left after a
// second Ctrl-C.
int exitCodeOf(const Outcome& outcome, const std::vector<Verdict>& verdicts);

// Prints how the run ended and what to do next, on standard output, or on standard error if the run failed;
// with
// --json the result object.
void printEnd(const Outcome& outcome, const std::vector<Verdict>& verdicts, bool json);

}  // namespace batchscope::cli
