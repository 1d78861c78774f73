// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/ledger.h"

#include <mutex>
#include <optional>
#include <utility>

#include "batchscope/replica/process_group.h"
#include "checkpoint/registry.h"
#include "process/session.h"
#include "report/telemetry_client.h"

namespace batchscope::replica {
namespace {

struct Kept {
  std::mutex mutex;
  std::optional<protocol::Ledger> whole;  // none before its first use
  std::vector<protocol::LedgerEntry> untold;
};

Kept& kept() { return session().part<Kept>(); }

protocol::Ledger& whole(Kept& kept) {
  if (!kept.whole) kept.whole = restored_manifest().ledger;
  return *kept.whole;
}

}  // namespace

void add_to_ledger(const protocol::LedgerEntry& entry) {
  if (replica_rank() != 0) return;  // also where nobody listens: the checkpoint holds it
  const std::lock_guard lock(kept().mutex);
  append(whole(kept()), {num_restarts(), entry});
  kept().untold.push_back(entry);
}

void send_ledger() {
  const std::lock_guard lock(kept().mutex);
  for (protocol::LedgerEntry& entry : std::exchange(kept().untold, {})) send(std::move(entry));
}

std::vector<protocol::LedgerEntry> take_ledger(protocol::Manifest& manifest) {
  const std::lock_guard lock(kept().mutex);
  manifest.ledger = whole(kept());
  manifest.ledger_from = restored_manifest().ledger_from;
  return std::exchange(kept().untold, {});
}

void requeue_ledger(std::vector<protocol::LedgerEntry> entries) {
  const std::lock_guard lock(kept().mutex);
  auto& now = kept().untold;
  now.insert(now.begin(), std::make_move_iterator(entries.begin()), std::make_move_iterator(entries.end()));
}

}  // namespace batchscope::replica
