// SPDX-License-Identifier: Apache-2.0
/// \file
/// A run's ledger: who trained on which stretch of which pass, in the order in which it was done. What one
/// generation trained on without a gap is one stretch, however many checkpoints came between: a pass is as
/// many stretches as generations had part in it, so that the ledger of a whole run goes along in each
/// checkpoint.
#pragma once

#include <vector>

#include "batchscope/protocol/telemetry.h"

namespace batchscope::protocol {

/// A stretch of a pass, and who consumed it.
struct Stretch {
  int generation = 0;  ///< that consumed it; -1: not known
  LedgerEntry entry;   ///< the stretch

  bool operator==(const Stretch&) const = default;  ///< both
};

/// The stretches of a run, oldest first.
using Ledger = std::vector<Stretch>;

/// Adds a stretch; one that goes on where the newest of its loader ended, in the same pass and generation, is
/// joined to that.
void append(Ledger& ledger, const Stretch& stretch);

}  // namespace batchscope::protocol
