// SPDX-License-Identifier: Apache-2.0
#include "predecessor.h"

#include <fmt/core.h>

namespace batchscope::pool {

using protocol::RunState;

Predecessor predecessor(storage::Catalogue& catalogue, const storage::Job& job) {
  using State = Predecessor::State;
  if (job.after.empty()) return {State::done, ""};
  const auto run = catalogue.run(job.after);
  if (!run || run->removed > 0) return {State::in_vain, "run " + job.after};
  const std::string name = fmt::format("{} ({})", run->name, run->id);
  switch (run->state) {
    case RunState::finished: return {State::done, name};
    case RunState::failed:
    case RunState::stopped:
    case RunState::damaged: return {State::in_vain, name};
    default: return {State::awaited, name};
  }
}

}  // namespace batchscope::pool
