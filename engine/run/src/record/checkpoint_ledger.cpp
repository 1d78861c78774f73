// SPDX-License-Identifier: Apache-2.0
#include "record/checkpoint_ledger.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace batchscope::run {
namespace {

using protocol::Ledger, protocol::LedgerEntry, protocol::Manifest, protocol::Stretch;

// The first of what is recorded that the checkpoint says as well.
Ledger::const_iterator first_known(const Manifest& checkpoint, const Ledger& recorded) {
  if (checkpoint.ledger_from == 0) return recorded.begin();
  if (!checkpoint.ledger.empty()) {
    const auto known = std::find_if(recorded.begin(), recorded.end(), [&](const Stretch& recorded_stretch) {
      return recorded_stretch.entry == checkpoint.ledger.front().entry;
    });
    if (known != recorded.end()) return known;
  }
  return std::find_if(recorded.begin(), recorded.end(), [&](const Stretch& recorded_stretch) {
    return recorded_stretch.entry.step > checkpoint.ledger_from;
  });
}

// Validation takes no step: there may be more of it than the checkpoint knows.
bool is_beyond(const LedgerEntry& entry, const Manifest& checkpoint) {
  if (entry.step != checkpoint.step) return entry.step > checkpoint.step;
  return std::none_of(checkpoint.ledger.rbegin(), checkpoint.ledger.rend(), [&](const Stretch& known) {
    const LedgerEntry& e = known.entry;
    return e.loader == entry.loader && e.epoch == entry.epoch && e.pass == entry.pass &&
           e.from <= entry.from && entry.to <= e.to;
  });
}

// `beyond`: the generation of which what is recorded beyond the checkpoint is kept. `unknown`: to which a
// stretch of an unknown one is ascribed.
Ledger compose(const Manifest& checkpoint, const Ledger& recorded, int beyond, int unknown) {
  const auto first = first_known(checkpoint, recorded);
  Ledger ledger(recorded.begin(), first);
  for (Stretch stretch : checkpoint.ledger) {
    if (stretch.generation < 0) {
      const auto recorded_stretch = std::find_if(
          first, recorded.end(), [&](const Stretch& candidate) { return candidate.entry == stretch.entry; });
      stretch.generation = recorded_stretch == recorded.end() ? unknown : recorded_stretch->generation;
    }
    ledger.push_back(std::move(stretch));
  }
  std::copy_if(first, recorded.end(), std::back_inserter(ledger), [&](const Stretch& stretch) {
    return stretch.generation == beyond && is_beyond(stretch.entry, checkpoint);
  });
  return ledger;
}

}  // namespace

Ledger ledger_at(const Manifest& checkpoint, const Ledger& recorded) {
  constexpr int kNone = -1;
  return compose(checkpoint, recorded, kNone, recorded.empty() ? 0 : recorded.back().generation);
}

Ledger ledger_since(const Manifest& checkpoint, const Ledger& recorded, int generation) {
  return compose(checkpoint, recorded, generation, generation);
}

}  // namespace batchscope::run
