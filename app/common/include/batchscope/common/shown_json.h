// SPDX-License-Identifier: Apache-2.0
/// \file
/// What is to be read of a run or a job, as JSON: a page lays it out, and has no words of its own for it.
/// `tone` is how a state is coloured: "good", "warning", "bad" or "plain".
#pragma once

#include <optional>

#include "batchscope/common/queue_json.h"
#include "batchscope/common/trial_fold.h"
#include "batchscope/protocol/control.h"
#include "batchscope/protocol/json.h"

namespace batchscope::common {

/// {"state":"Training on 2 replicas","tone":"good","progress":"Epoch 3 of 10","time":"61 min, about 36 min
/// left"}, of what a supervisor says.
protocol::Json shownJson(const protocol::RunStatus& status);

/// The same, and {"badge":"×2","detail":"epoch 3 of 10 · 0.981","whose":".."}, of a row in a list. What its
/// run's supervisor says is newer than what the row has; none: nobody supervises it. `heard` is what
/// lastHeard() returns, and stands in the place of the state. `whose` names the sweep of a trial that is
/// paused, which decides when it goes on; else it is empty.
protocol::Json shownJson(const RunRow& row, const std::optional<protocol::RunStatus>& status,
                         std::optional<double> heard, double now);

/// {"state":"waiting","tone":"plain","replicas":"2 of 1–4","why":".."}
protocol::Json shownJson(const PlacedJob& job);

}  // namespace batchscope::common
