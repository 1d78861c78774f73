// SPDX-License-Identifier: Apache-2.0
//
// The sample ledger: which stretches of which pass were trained on. It begins with that of the checkpoint
// that this generation starts from, and each checkpoint holds it as it is then. The supervisor is told of an
// entry when a checkpoint holds the training that it speaks of (or the program ends in order), because a
// crash undoes what came after the last checkpoint and the next generation does it again: so the entries that
// were sent never contradict each other.
#pragma once

#include <vector>

#include "batchscope/protocol/manifest.h"

namespace batchscope::replica {

// Rank 0's are kept. The checkpoint to start from is known by then, as it is in any loop over data.
void add_to_ledger(const protocol::LedgerEntry& entry);
void send_ledger();  // the training up to here lasts

// Puts the whole ledger into a checkpoint's manifest. Returns what is not sent yet, to be sent when the
// checkpoint is on disk or queued again when that failed. From any thread.
std::vector<protocol::LedgerEntry> take_ledger(protocol::Manifest& manifest);
void requeue_ledger(std::vector<protocol::LedgerEntry> entries);

}  // namespace batchscope::replica
