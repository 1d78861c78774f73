// SPDX-License-Identifier: Apache-2.0
/// \file
/// Sweeps as JSON, the same in `sweep status`, `sweep run`, in exports and in what `batchscope serve`
/// answers. Times are seconds since 1970; parameters of trials are texts, as the program gets them.
#pragma once

#include "batchscope/protocol/json.h"
#include "batchscope/sweep/sweeps.h"

namespace batchscope::common {

/// {"name":..,"state":..,"trials":{"wanted":32,"done":7,..},"best":..,"device_hours":..}; "driven" says
/// whether a process sees to it.
protocol::Json sweepJson(const sweep::SweepView& view, bool driven);

/// {"sweep":{..},"trials":[..],"legs":[..]}
protocol::Json sweepDetailsJson(const sweep::SweepView& view, bool driven);

/// [{"name":..,"kind":"number","integer":false,"scale":"log","min":..,"max":..,"values":null},..]; of a
/// "choice" "values" are its texts, and it has no bounds.
protocol::Json parametersJson(const sweep::SweepView& view);

/// [{"name":..,"share":..},..], of each parameter (sweep/importance.h).
protocol::Json importanceJson(const sweep::SweepView& view);

/// {"kind":"asha","unit":"iterations","rungs":[..]}: what is behind a trial at each rung that any has come
/// to, and at the next.
protocol::Json stopJson(const sweep::SweepView& view);

/// {"run":..,"value":..,"parameters":{..},"command":[..]}; null where no trial has a value.
protocol::Json bestJson(const sweep::SweepView& view);

}  // namespace batchscope::common
