// SPDX-License-Identifier: Apache-2.0
/// \file
/// The texts about a run or a job, as JSON: a page lays them out and has no words of its own for them. `tone`
/// is how a state is coloured: "good", "warning", "bad" or "plain".
#pragma once

#include <optional>

#include "batchscope/common/queue_json.h"
#include "batchscope/common/trial_fold.h"
#include "batchscope/protocol/control.h"
#include "batchscope/protocol/json.h"

namespace batchscope::common {

/// Returns {"state":"Training on 2 replicas","tone":"good","progress":"Epoch 3 of 10","time":"61 min, about
/// 36 min left","restart":null} for the status that a supervisor reports; `restart` is the one under way, as
/// restartJson() has it. `present` is the number of replicas before it; 0: the status has it.
protocol::Json shownJson(const protocol::RunStatus& status, int present = 0);

/// Returns the same and {"badge":"×2","detail":"epoch 3 of 10 · 98.12 %","whose":".."} for a row in a list.
/// `status` comes from the run's supervisor and is newer than the row; none: the run has no supervisor.
/// `heard` is the result of lastHeard(), and is shown in place of the state. `whose` names the sweep that
/// decides when a paused trial goes on; else it is empty.
protocol::Json shownJson(const RunRow& row, const std::optional<protocol::RunStatus>& status,
                         std::optional<double> heard, double now);

/// {"state":"waiting","tone":"plain","replicas":"2 of 1–4","why":".."}
protocol::Json shownJson(const PlacedJob& job);

}  // namespace batchscope::common
