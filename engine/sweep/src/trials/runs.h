// SPDX-License-Identifier: Apache-2.0
//
// The runs of a sweep's trials: what they say of a leg, and what is done to all of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "batchscope/storage/sweeps.h"
#include "batchscope/sweep/sweep_file.h"

namespace batchscope::sweep {

// Judgement of a leg whose trial is trained by these runs, as far as it is known; under_way while one of them
// has some way to go. The value is the mean of theirs.
struct Judgement {
  storage::SweepLeg leg;
  bool no_metric = false;  // it failed because a run that came to the leg's end has recorded no such series
  // Runs that came to the leg's end within their first epoch and have no value yet: they are to go on to the
  // next rung, for many programs measure themselves at the ends of epochs.
  std::vector<std::string> early = {};
};
// `elsewhere`: they do not train in the pool, so that they stop at rungs where others pause.
Judgement judge(storage::Catalogue& catalogue, const SweepFile& file, const storage::SweepLeg& leg,
                const std::vector<std::string>& runs, bool elsewhere = false);

// Whether all these runs have come to the rung, or further.
bool have_reached(storage::Catalogue& catalogue, const StopRule& rule, int rung,
                  const std::vector<std::string>& runs);

// Calls `act` for all runs of the sweep that have not ended. One that ends meanwhile, or whose supervisor
// does, is not a fault; what any other throws is thrown again once all were called.
void for_living_runs(storage::Catalogue& catalogue, const std::string& sweep,
                     const std::function<void(const std::string& run)>& act);

}  // namespace batchscope::sweep
