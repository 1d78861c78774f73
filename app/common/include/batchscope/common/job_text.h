// SPDX-License-Identifier: Apache-2.0
/// \file
/// A job of the queue in words, the same in window and page. `rung` is that of a trial which waits there for
/// its sweep to decide, as PlacedJob has it.
#pragma once

#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/pool/queue.h"
#include "batchscope/protocol/pool.h"

namespace batchscope::common {

QString stateText(const pool::QueueEntry& entry, std::optional<int> rung);  ///< "waiting", "at rung"
/// "good", "warning", "bad" or "plain": how the state is coloured.
QString stateTone(const pool::QueueEntry& entry, std::optional<int> rung);
/// "2 → 3 of 1–4", "2 (auto)": what it has, what the pool wants it to have, and what it may have.
QString replicasText(const pool::QueueEntry& entry);
/// The pool's reason, or what is known without one.
QString whyText(const pool::QueueEntry& entry, std::optional<int> rung = {});
QString devicesText(const std::vector<std::string>& devices);  ///< "cpu:0-1", a dash for none
/// "with 1: −38 %, with 3: +12 %"; empty where there are none.
QString alternativesText(const std::vector<protocol::PoolAlternative>& alternatives);

}  // namespace batchscope::common
