// SPDX-License-Identifier: Apache-2.0
#include "verbs/sweep_removal.h"

#include <algorithm>
#include <utility>

#include "answer.h"
#include "answers/list_answers.h"
#include "batchscope/common/say.h"
#include "batchscope/protocol/error.h"
#include "batchscope/sweep/driver.h"
#include "store/asked_for.h"
#include "verbs/sweep_verbs.h"

namespace batchscope::web {

using common::say;
using protocol::Json;

Json RemovedSweeps::remove(Store& store, const std::string& name, const std::string& person,
                           const Json& body) {
  const bool with_runs = truth_in(body.value("runs", Json(false)), "runs");
  storage::Catalogue& catalogue = store.catalogue();
  const std::vector<storage::Run> tellers = tellers_of(catalogue, sweep_called(catalogue, name));
  const std::lock_guard lock(mutex_);
  sweep::RemovedSweep removed = sweep::remove(catalogue, name, with_runs);
  for (const storage::Run& run : tellers)
    note_asked_for(catalogue, run, "removal of the sweep " + name, person);
  const std::size_t runs = removed.in_trash.size();
  kept_.push_front(std::move(removed));
  if (kept_.size() > kMost) kept_.pop_back();
  return {{"removed", name}, {"runs", runs}};
}

Json RemovedSweeps::restore(Store& store, const std::string& name, const std::string& person) {
  storage::Catalogue& catalogue = store.catalogue();
  const std::lock_guard lock(mutex_);
  const auto found =
      std::ranges::find(kept_, name, [](const sweep::RemovedSweep& each) { return each.sweep.name; });
  if (found == kept_.end())
    throw Error(
        ErrorKind::not_found,
        say("this server has not removed a sweep {} since it was started, so it cannot bring it back", name));
  sweep::restore(catalogue, *found);
  kept_.erase(found);
  for (const storage::Run& run : tellers_of(catalogue, sweep_called(catalogue, name)))
    note_asked_for(catalogue, run, "restoring of the sweep " + name, person);
  return {{"sweep", shown_sweep_json(sweep::look(catalogue, name), sweep::kDriver.alive())}};
}

}  // namespace batchscope::web
