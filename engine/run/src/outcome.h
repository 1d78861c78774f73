// SPDX-License-Identifier: Apache-2.0
//
// How a generation ended, judged from the exits of its replicas. All 0: the program is done. All 0 or 143:
// stopped after a checkpoint (AdaptDL's convention). Anything else is a crash, and the culprit is the
// replica whose end caused the others': a peer's death makes the survivors fail with an exit code of their
// own, so a signal weighs more than an exit code, and the earlier exit more than the later. Replicas that
// the supervisor itself killed are nobody's culprit unless there is no other.
#pragma once

#include <string>
#include <vector>

namespace batchscope::run {

struct Exit {
  int rank = 0;
  int code = 0;  // where signal is 0
  int signal = 0;
  bool killed = false;  // after the supervisor's own SIGKILL

  bool clean() const;  // exit code 0 or 143
};

struct Outcome {
  enum class Kind { finished, checkpointed, crashed };
  Kind kind = Kind::finished;
  Exit culprit;  // of a crash

  // As it stands in the catalogue: "finished", "checkpointed", "crashed: rank 1, signal 9".
  std::string text() const;
};

// In the order in which the replicas exited.
Outcome judge(const std::vector<Exit>& exits);

// "rank 1 was killed by signal 9 (Killed)", "rank 0 ended with exit code 3".
std::string describe(const Exit& exit);

}  // namespace batchscope::run
