// SPDX-License-Identifier: Apache-2.0
/// \file
/// A job of the queue in words, the same in window and page. `rung` is the rung at which a trial waits for
/// its sweep to decide (PlacedJob::rung).
#pragma once

#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/pool/queue.h"
#include "batchscope/protocol/pool.h"

namespace batchscope::common {

QString stateText(const pool::QueueEntry& entry, std::optional<int> rung);  ///< "waiting", "at rung"
/// Returns "good", "warning", "bad" or "plain": how the state is coloured.
QString stateTone(const pool::QueueEntry& entry, std::optional<int> rung);
/// Returns "2 → 3 of 1–4" or "2 (auto)": the replicas that the job has, the pool's target, and the allowed
/// range.
QString replicasText(const pool::QueueEntry& entry);
/// Returns the pool's reason; without one, a reason from the job's state.
QString whyText(const pool::QueueEntry& entry, std::optional<int> rung = {});
QString devicesText(const std::vector<std::string>& devices);  ///< "cpu:0-1", a dash for none
/// Returns "with 1: −38 %, with 3: +12 %"; empty without alternatives.
QString alternativesText(const std::vector<protocol::PoolAlternative>& alternatives);

}  // namespace batchscope::common
