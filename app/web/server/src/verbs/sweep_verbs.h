// SPDX-License-Identifier: Apache-2.0
//
// The verbs of a page for existing sweeps, which do the same as `batchscope sweep pause`, `resume`, `stop`
// and `extend` (sweep/sweeps.h). None changes the program of a sweep's trials.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "batchscope/protocol/json.h"
#include "batchscope/storage/sweeps.h"
#include "store/store.h"

namespace batchscope::web {

// Something that is asked of a sweep, read and checked.
struct SweepVerb {
  std::string what;  // in a word or two: "pause", "16 more trials"
  std::function<void(storage::Catalogue&, const std::string& name)> act;
};

// Reads {"command":"pause"} and the like (API.md). Throws Error(usage).
SweepVerb sweep_verb(const protocol::Json& body);

// Returns the runs whose events tell of what is done to their sweep: those that have not ended, or else the
// newest. Those that train elsewhere have their events from there.
std::vector<storage::Run> tellers_of(storage::Catalogue& catalogue, const storage::Sweep& sweep);

// Does it to the sweep of exactly this name, for a `person` by name or the owner; blocks as pool::cancel does
// for each of its trials. Answers {"sweep":..}. Throws Error as sweep/sweeps.h.
protocol::Json ask_of_sweep(Store& store, const std::string& name, const std::string& person,
                            const SweepVerb& verb);

}  // namespace batchscope::web
