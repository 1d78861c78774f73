// SPDX-License-Identifier: Apache-2.0
//
// The sample ledger: which stretches of which pass were trained on. An entry is held back until a checkpoint
// holds the training that it speaks of (or the program ends in order), because a crash undoes what came after
// the last checkpoint and the next generation does it again: so the entries that were sent never contradict
// each other.
#pragma once

#include <vector>

#include "batchscope/protocol/telemetry.h"

namespace batchscope {

void add_to_ledger(const protocol::LedgerEntry& entry);   // rank 0's are kept
const std::vector<protocol::LedgerEntry>& held_ledger();  // what the next checkpoint makes last
void send_ledger();                                       // the training up to here lasts

}  // namespace batchscope
