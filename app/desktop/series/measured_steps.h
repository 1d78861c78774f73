// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "batchscope/run/step_times.h"
#include "series/series_model.h"

namespace batchscope::desktop {

// Measured beside predicted step times (run/step_times.h) of the samples that are loaded; want
// run::step_time_series first.
std::vector<run::StepTime> measureStepTimes(SeriesModel& series, const protocol::Model& model);

}  // namespace batchscope::desktop
