// SPDX-License-Identifier: Apache-2.0
#include "predecessor.h"

#include <fmt/core.h>

namespace batchscope::pool {

using protocol::RunState;

namespace {

using storage::AfterEnd;

const char* awaited_text(AfterEnd end) {
  switch (end) {
    case AfterEnd::ok: return "has finished";
    case AfterEnd::end: return "has ended";
    case AfterEnd::fail: return "has failed";
  }
  return "";
}

}  // namespace

Predecessor predecessor(storage::Catalogue& catalogue, const storage::Job& job) {
  using State = Predecessor::State;
  if (job.after.empty()) return {};
  const auto run = catalogue.run(job.after);
  const auto ended = [&](bool as_asked, const std::string& name, const char* end) {
    const bool done = as_asked || job.after_end == AfterEnd::end;
    return Predecessor{done ? State::done : State::in_vain, name, end};
  };
  if (!run || run->removed > 0) return ended(false, "run " + job.after, "was removed");
  const std::string name = fmt::format("{} ({})", run->name, run->id);
  switch (run->state) {
    case RunState::finished: return ended(job.after_end == AfterEnd::ok, name, "has finished");
    case RunState::failed: return ended(job.after_end == AfterEnd::fail, name, "has failed");
    case RunState::stopped: return ended(job.after_end == AfterEnd::fail, name, "was stopped");
    case RunState::damaged: return ended(job.after_end == AfterEnd::fail, name, "is damaged");
    default: return {State::awaited, name, awaited_text(job.after_end)};
  }
}

std::string in_vain_text(const storage::Job& job, const Predecessor& before) {
  return fmt::format(
      "held: {} {}, and this run begins only when it {}; to begin it anyway: batchscope release {}",
      before.name, before.end, awaited_text(job.after_end), job.run);
}

}  // namespace batchscope::pool
