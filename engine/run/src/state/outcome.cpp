// SPDX-License-Identifier: Apache-2.0
#include "state/outcome.h"

#include <fmt/format.h>
#include <algorithm>
#include <csignal>
#include <cstring>

#include "batchscope/protocol/error.h"

namespace batchscope::run {

bool Exit::clean() const { return signal == 0 && (code == kExitOk || code == kExitCheckpointed); }

std::string Outcome::text() const {
  switch (kind) {
    case Kind::finished: return "finished";
    case Kind::checkpointed: return "checkpointed";
    case Kind::unsaved: return "ended without a checkpoint";
    case Kind::crashed: break;
  }
  if (culprit.cause == Cause::non_finite) return "crashed: gradient not finite";  // on all replicas
  const auto cause_text = [this]() -> std::string {
    switch (culprit.cause) {
      case Cause::hang: return "hang";
      case Cause::memory: return "out of memory";
      case Cause::node: return "node lost";
      default:
        return culprit.signal ? fmt::format("signal {}", culprit.signal)
                              : fmt::format("exit code {}", culprit.code);
    }
  };
  return fmt::format("crashed: rank {}, {}", culprit.rank, cause_text());
}

Outcome judge(const std::vector<Exit>& exits, bool asked) {
  Outcome outcome;
  const auto weight = [](const Exit& e) {
    if (e.cause == Cause::node) return 6;
    if (e.cause == Cause::hang) return 3;
    if (e.cause == Cause::peer) return 2;
    if (e.killed && e.cause == Cause::unknown) return 1;
    return e.signal || e.cause != Cause::unknown ? 5 : 4;
  };
  int heaviest = 0;
  for (const Exit& exit : exits) {
    if (exit.clean()) {
      if (exit.code != 0 && outcome.kind == Outcome::Kind::finished)
        outcome.kind = Outcome::Kind::checkpointed;
    } else if (asked && exit.signal == SIGTERM && exit.cause == Cause::unknown) {
      if (heaviest == 0) outcome.kind = Outcome::Kind::unsaved;
    } else if (weight(exit) > heaviest) {
      outcome = {Outcome::Kind::crashed, exit};
      heaviest = weight(exit);
    }
  }
  return outcome;
}

std::string describe(const Exit& exit) {
  const std::string who = fmt::format("rank {}", exit.rank);
  const std::string because = exit.why.empty() ? "" : ": " + exit.why;
  if (exit.cause == Cause::hang) return who + " hangs" + because;
  if (exit.cause == Cause::memory) return who + " ran out of memory" + because;
  if (exit.cause == Cause::non_finite || exit.cause == Cause::node) return exit.why;
  if (exit.signal == 0) return fmt::format("{} ended with exit code {}{}", who, exit.code, because);
  const char* const name = sigabbrev_np(exit.signal);
  return fmt::format("{} was killed by signal {}{}{}", who, exit.signal,
                     name ? fmt::format(" (SIG{})", name) : std::string(), because);
}

}  // namespace batchscope::run
