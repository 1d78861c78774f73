// SPDX-License-Identifier: Apache-2.0
//
// How a generation ended, judged from the exits of its replicas. All 0: the program is done. All 0 or 143:
// stopped after a checkpoint (AdaptDL's convention). Some by the SIGTERM that they were asked to stop with: a
// program that knows no checkpoints. Anything else is a crash, and the culprit is the replica whose end
// caused the others'. A replica that speaks telemetry says itself whether it failed because of another one;
// of those that do not, a signal weighs more than an exit code, which survivors of a peer's death end with,
// and the earlier exit more than the later. A replica that hangs is the culprit where no other failed by
// itself; one that the supervisor merely killed with the rest is none unless there is no other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace batchscope::run {

// The known cause, beyond the status. `checkpoint`: one could not be loaded, which the next generation passes
// over. `node`: it was on a node that is gone.
enum class Cause { unknown, exception, memory, non_finite, checkpoint, peer, hang, node };

struct Exit {
  int rank = 0;
  int code = 0;  // where signal is 0
  int signal = 0;
  bool killed = false;  // after the supervisor's own SIGKILL
  Cause cause = Cause::unknown;
  std::string why = {};               // a sentence, or an exception's text; may be empty
  std::int64_t local_batch_size = 0;  // that was in flight; 0: unknown

  bool clean() const;  // exit code 0 or 143
};

struct Outcome {
  enum class Kind { finished, checkpointed, unsaved, crashed };
  Kind kind = Kind::finished;
  Exit culprit;  // of a crash

  // Returns the text in the catalogue: "finished", "checkpointed", "ended without a checkpoint", "crashed:
  // rank 1, signal 9", "crashed: rank 0, hang".
  std::string text() const;
};

// Judges the exits, in the order in which the replicas exited. `asked`: they were asked to stop.
Outcome judge(const std::vector<Exit>& exits, bool asked = false);

// "rank 1 was killed by signal 9 (SIGKILL)", "rank 0 ended with exit code 3", "rank 1 ran out of memory:
// ...".
std::string describe(const Exit& exit);

}  // namespace batchscope::run
