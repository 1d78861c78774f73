// SPDX-License-Identifier: Apache-2.0
//
// Judging a generation's end.
#include "outcome.h"

#include <algorithm>
#include <cstring>

#include "batchscope/protocol/error.h"

namespace batchscope::run {

bool Exit::clean() const { return signal == 0 && (code == kExitOk || code == kExitCheckpointed); }

std::string Outcome::text() const {
  switch (kind) {
    case Kind::finished: return "finished";
    case Kind::checkpointed: return "checkpointed";
    case Kind::crashed: break;
  }
  const std::string how = culprit.signal ? "signal " + std::to_string(culprit.signal)
                                         : "exit code " + std::to_string(culprit.code);
  return "crashed: rank " + std::to_string(culprit.rank) + ", " + how;
}

Outcome judge(const std::vector<Exit>& exits) {
  Outcome outcome;
  const auto weight = [](const Exit& e) { return e.killed ? 1 : e.signal ? 3 : 2; };
  int heaviest = 0;
  for (const Exit& exit : exits) {
    if (exit.clean()) {
      if (exit.code != 0 && outcome.kind == Outcome::Kind::finished)
        outcome.kind = Outcome::Kind::checkpointed;
    } else if (weight(exit) > heaviest) {
      outcome = {Outcome::Kind::crashed, exit};
      heaviest = weight(exit);
    }
  }
  return outcome;
}

std::string describe(const Exit& exit) {
  const std::string who = "rank " + std::to_string(exit.rank);
  if (exit.signal == 0) return who + " ended with exit code " + std::to_string(exit.code);
  return who + " was killed by signal " + std::to_string(exit.signal) + " (" + strsignal(exit.signal) + ")";
}

}  // namespace batchscope::run
