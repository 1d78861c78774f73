// SPDX-License-Identifier: Apache-2.0
/// \file
/// A place where trials train that are not runs of this machine's pool, as the driver of sweeps sees it. A
/// run that is to train is in the catalogue in the state `pending`, and its outcome is put into the catalogue
/// too, by whoever implements this interface. So the course of a sweep does not depend on where it trains,
/// and a driver that was killed goes on from the catalogue there as it does here.
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

  /// Makes what a new run of this id needs there, before the catalogue knows the run. Returns where that is.
  /// The run begins at a checkpoint that is put into its folder here afterwards (run/fork.h).
  virtual storage::Origin prepare(const storage::Sweep& sweep, const std::string& run,
                                  const protocol::RunSpec& spec) = 0;

  /// Trains those of these runs that are `pending`, each once, and brings the catalogue up to date with all
  /// of them. A run that loses its machine goes on by itself, or is `pending` again; one that a person ended
  /// there is `stopped`. Returns the runs whose state in the catalogue is not final.
  virtual std::set<std::string> tend(const storage::Sweep& sweep, const std::vector<std::string>& runs) = 0;

  /// Ends all of these runs that train or are about to, with checkpoints, where they can go on later. Asks
  /// and does not wait. Returns those that have not ended yet; call it again until there is none.
  virtual std::set<std::string> recall(const storage::Sweep& sweep, const std::vector<std::string>& runs) = 0;
};

}  // namespace batchscope::sweep
