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

/// Returns what a page shows of a sweep: {"state":"Running","tone":"good","done":"7 of 32","best":"97.42
/// %","left":"about 3 min","unit":"%","factor":100,"totals":[{"name","how","value"}]}. A value of the metric
/// times `factor` is in `unit`; `left` is empty where it is not known.
protocol::Json shownJson(const sweep::SweepView& view, bool driven);
/// The same of a trial: {"state":"paused at a rung","tone":"warning","value":"97.42 %","text":".."}, all
/// lines of it being `text`.
protocol::Json shownTrialJson(const sweep::SweepView& view, std::size_t trial);

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

/// {"trials":true,"device_hours":false}: of what sweep::extend can give it more.
protocol::Json extendsJson(const sweep::SweepView& view);

/// {"run":..,"value":..,"parameters":{..},"command":[..]}; null where no trial has a value.
protocol::Json bestJson(const sweep::SweepView& view);

}  // namespace batchscope::common
