// SPDX-License-Identifier: Apache-2.0
//
// Entries waiting for their checkpoint.
#include "ledger.h"

#include <mutex>
#include <utility>

#include "batchscope/train/process_group.h"
#include "process.h"

namespace batchscope {
namespace {

struct Held {
  std::mutex mutex;
  std::vector<protocol::LedgerEntry> entries;
};

Held& held() {
  static Held& held = *new Held;  // a writing thread may come to it until the very end
  return held;
}

}  // namespace

void add_to_ledger(const protocol::LedgerEntry& entry) {
  if (replica_rank() != 0) return;  // also where nobody listens: the checkpoint holds it
  const std::lock_guard lock(held().mutex);
  held().entries.push_back(entry);
}

void send_ledger() {
  for (protocol::LedgerEntry& entry : take_ledger()) send(std::move(entry));
}

std::vector<protocol::LedgerEntry> take_ledger() {
  const std::lock_guard lock(held().mutex);
  return std::exchange(held().entries, {});
}

void hold_again(std::vector<protocol::LedgerEntry> entries) {
  const std::lock_guard lock(held().mutex);
  auto& now = held().entries;
  now.insert(now.begin(), std::make_move_iterator(entries.begin()), std::make_move_iterator(entries.end()));
}

}  // namespace batchscope
