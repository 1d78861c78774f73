// SPDX-License-Identifier: Apache-2.0
//
// The ledger of a run as one of its checkpoints knows it. A checkpoint holds the whole (manifest.h), so that
// what the catalogue has recorded counts for nothing where the run goes on from one. Only in a run that began
// before checkpoints were so is the beginning the catalogue's alone.
#pragma once

#include "batchscope/protocol/manifest.h"

namespace batchscope::run {

// Up to the checkpoint's step, which is what the run goes back to with it.
protocol::Ledger ledger_at(const protocol::Manifest& checkpoint, const protocol::Ledger& recorded);

// The same and, behind it, what is recorded of this generation beyond the checkpoint, which it wrote.
// Stretches of a generation that is not known are ascribed to this one.
protocol::Ledger ledger_since(const protocol::Manifest& checkpoint, const protocol::Ledger& recorded,
                              int generation);

}  // namespace batchscope::run
