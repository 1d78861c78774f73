// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where trials train that are not runs of this machine's pool, as the driver of sweeps sees it. What is to
/// train is a run of the catalogue in the state `pending`, and what has come of it is in the catalogue too:
/// who stands behind this interface brings the two together. So nothing of how a sweep goes depends on where
/// it trains, and the driver, killed at any moment, goes on from the catalogue there as it does here.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "batchscope/protocol/run_spec.h"
#include "batchscope/storage/origins.h"
#include "batchscope/storage/sweeps.h"

namespace batchscope::sweep {

/// Used by one thread. Calls may block for some seconds, and throw Error: io and timeout are tried again,
/// any other ends the sweep with its message.
class Workplace {
 public:
  virtual ~Workplace() = default;

  /// Makes what a new run of this id needs there, before there is anything of it in the catalogue. Returns
  /// where that is. A checkpoint that is laid into the run's folder here afterwards (run/fork.h) is where it
  /// begins.
  virtual storage::Origin prepare(const storage::Sweep& sweep, const std::string& run,
                                  const protocol::RunSpec& spec) = 0;

  /// Trains those of these runs that are `pending`, each once, and brings the catalogue up to date with all
  /// of them. One that loses its machine goes on by itself, or is `pending` again; one that a person ended
  /// there is `stopped`. Returns those of which more is to be heard: what the catalogue says of them is not
  /// the last word.
  virtual std::set<std::string> tend(const storage::Sweep& sweep, const std::vector<std::string>& runs) = 0;

  /// Ends all of these runs that train or are about to, with checkpoints, where they can go on later. Asks
  /// and does not wait. Returns those that have not ended yet; to be asked again until there is none.
  virtual std::set<std::string> recall(const storage::Sweep& sweep, const std::vector<std::string>& runs) = 0;
};

}  // namespace batchscope::sweep
