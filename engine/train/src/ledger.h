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

void add_to_ledger(const protocol::LedgerEntry& entry);  // rank 0's are kept
void send_ledger();                                      // the training up to here lasts

// For a checkpoint: what is held goes along with it, and is sent when it is on disk or held again when that
// failed. From any thread.
std::vector<protocol::LedgerEntry> take_ledger();
void hold_again(std::vector<protocol::LedgerEntry> entries);

}  // namespace batchscope
