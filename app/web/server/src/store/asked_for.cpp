// SPDX-License-Identifier: Apache-2.0
#include "store/asked_for.h"

#include <fmt/core.h>

#include "batchscope/protocol/error.h"

namespace batchscope::web {

void note_asked_for(storage::Catalogue& catalogue, const storage::Run& run, const std::string& what,
                    const std::string& person) {
  if (person.empty()) return;
  try {
    const std::vector<storage::Generation> generations = catalogue.generations(run.id);
    catalogue.add_event(run.id, generations.empty() ? 0 : generations.back().number, run.step, "info",
                        fmt::format("{}, asked for by {}", what, person));
  } catch (const Error&) {
    // The event is missing, and no more.
  }
}

}  // namespace batchscope::web
