// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/ledger.h"

#include <algorithm>

namespace batchscope::protocol {

void append(Ledger& ledger, const Stretch& stretch) {
  const LedgerEntry& next = stretch.entry;
  const auto newest = std::find_if(ledger.rbegin(), ledger.rend(),
                                   [&](const Stretch& s) { return s.entry.loader == next.loader; });
  if (newest == ledger.rend()) return ledger.push_back(stretch);
  LedgerEntry& last = newest->entry;
  const bool goes_on = newest->generation == stretch.generation && last.epoch == next.epoch &&
                       last.pass == next.pass && last.to == next.from &&
                       (last.dataset_size == next.dataset_size || last.dataset_size == 0);
  if (!goes_on) return ledger.push_back(stretch);
  last.to = next.to;
  last.dataset_size = next.dataset_size;
  last.padding += next.padding;
  last.step = next.step;
}

}  // namespace batchscope::protocol
