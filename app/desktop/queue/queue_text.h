// SPDX-License-Identifier: GPL-3.0-or-later
//
// A job in words.
#pragma once

#include <QString>

#include "batchscope/pool/queue.h"
#include "batchscope/protocol/pool.h"

namespace batchscope::desktop {

QString stateText(pool::JobState state);              // "waiting"
QString replicasText(const pool::QueueEntry& entry);  // "2 → 3 of 1–4"
QString whyText(const pool::QueueEntry& entry);       // the pool's reason, or what is known without one
QString devicesText(const std::vector<std::string>& devices);  // "cpu:0-1", a dash for none
// "with 1: −38 %, with 3: +12 %"; empty where there are none.
QString alternativesText(const std::vector<protocol::PoolAlternative>& alternatives);

}  // namespace batchscope::desktop
