// SPDX-License-Identifier: Apache-2.0
//
// Entries waiting for their checkpoint.
#include "ledger.h"

#include <utility>

#include "batchscope/train/process_group.h"
#include "process.h"

namespace batchscope {
namespace {

std::vector<protocol::LedgerEntry>& held() {
  static std::vector<protocol::LedgerEntry> entries;
  return entries;
}

}  // namespace

void add_to_ledger(const protocol::LedgerEntry& entry) {
  if (replica_rank() == 0) held().push_back(entry);  // also where nobody listens: the checkpoint holds it
}

const std::vector<protocol::LedgerEntry>& held_ledger() { return held(); }

void send_ledger() {
  for (protocol::LedgerEntry& entry : std::exchange(held(), {})) send(std::move(entry));
}

}  // namespace batchscope
