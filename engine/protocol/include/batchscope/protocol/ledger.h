// SPDX-License-Identifier: Apache-2.0
/// \file
/// A run's ledger: which generation trained on which stretch of which pass, in the order of training. A
/// stretch is what one generation trained on without a gap, however many checkpoints came between. So a pass
/// has only as many stretches as generations took part in it, and each checkpoint can hold the ledger of the
/// whole run.
#pragma once

#include <vector>

#include "batchscope/protocol/telemetry.h"

namespace batchscope::protocol {

/// A stretch of a pass, and who consumed it.
struct Stretch {
  int generation = 0;  ///< the generation that consumed it; -1: not known
  LedgerEntry entry;   ///< the stretch

  bool operator==(const Stretch&) const = default;  ///< both
};

/// The stretches of a run, oldest first.
using Ledger = std::vector<Stretch>;

/// Adds a stretch; one that goes on where the newest of its loader ended, in the same pass and generation, is
/// joined to that.
void append(Ledger& ledger, const Stretch& stretch);

}  // namespace batchscope::protocol
