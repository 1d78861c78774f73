// SPDX-License-Identifier: Apache-2.0
//
// Sweeps as JSON, the same in `status`, `run` and in exports. Times are seconds since 1970; parameters are
// texts, as the program gets them.
#pragma once

#include "batchscope/protocol/json.h"
#include "batchscope/sweep/sweeps.h"

namespace batchscope::cli {

// {"name":..,"state":..,"trials":{"wanted":32,"done":7,..},"best":..,"device_hours":..}; "driven" says
// whether a process sees to it.
protocol::Json sweepJson(const sweep::SweepView& view, bool driven);

// {"sweep":{..},"trials":[..],"legs":[..]}
protocol::Json sweepDetailsJson(const sweep::SweepView& view, bool driven);

// {"run":..,"value":..,"parameters":{..},"command":[..]}; null where no trial has a value.
protocol::Json bestJson(const sweep::SweepView& view);

}  // namespace batchscope::cli
