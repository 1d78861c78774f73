// SPDX-License-Identifier: Apache-2.0
/// \file
/// Sweeps as JSON, the same in `sweep status`, `sweep run`, in exports and in what `batchscope serve`
/// answers. Times are seconds since 1970; parameters of trials are texts, as the program gets them.
#pragma once

#include "batchscope/protocol/json.h"
#include "batchscope/sweep/sweeps.h"

namespace batchscope::common {

/// Returns {"name":..,"state":..,"trials":{"wanted":32,"done":7,..},"best":..,"device_hours":..}; "driven"
/// says whether a process drives the sweep.
protocol::Json sweepJson(const sweep::SweepView& view, bool driven);

/// Returns what a page shows of a sweep: {"state":"Running","tone":"good","done":"7 of 32","best":"97.42
/// %","left":"about 3 min","unit":"%","factor":100,"totals":[{"name","how","value"}]}. A value of the metric
/// times `factor` is in `unit`; `left` is empty where it is not known.
protocol::Json shownJson(const sweep::SweepView& view, bool driven);
/// Returns the same for a trial: {"state":"paused at a rung","tone":"warning","value":"97.42 %","text":".."};
/// `text` has all its lines.
protocol::Json shownTrialJson(const sweep::SweepView& view, std::size_t trial);

/// {"sweep":{..},"trials":[..],"legs":[..]}
protocol::Json sweepDetailsJson(const sweep::SweepView& view, bool driven);

/// Returns [{"name":..,"kind":"number","integer":false,"scale":"log","min":..,"max":..,"values":null},..]; a
/// "choice" has its texts as "values" and no bounds.
protocol::Json parametersJson(const sweep::SweepView& view);

/// Returns [{"name":..,"share":..},..], the importance of each parameter (sweep/importance.h).
protocol::Json importanceJson(const sweep::SweepView& view);

/// Returns {"kind":"asha","unit":"iterations","rungs":[..]}: the iterations of a trial at each rung that any
/// trial has come to, and at the next.
protocol::Json stopJson(const sweep::SweepView& view);

/// Returns {"trials":true,"device_hours":false}: the budgets that sweep::extend can enlarge.
protocol::Json extendsJson(const sweep::SweepView& view);

/// Returns {"run":..,"value":..,"parameters":{..},"command":[..]}; null where no trial has a value.
protocol::Json bestJson(const sweep::SweepView& view);

}  // namespace batchscope::common
