// SPDX-License-Identifier: Apache-2.0
/// \file
/// The time of the last news of a run that trains elsewhere and is only followed here. The store knows the
/// run as of that time. The time of the file `heard` in the run's folder keeps it.
#pragma once

#include <optional>
#include <string>

#include "batchscope/storage/catalogue.h"

namespace batchscope::common {

/// Notes that there is news of the run now.
void noteHeard(const std::string& run);

/// Returns the time of the last news (s since 1970) of a followed run that has not ended, once it is older
/// than a minute; else nothing, and the state in the store counts.
std::optional<double> lastHeard(const storage::Run& run, bool isFollowed, double now);

/// Returns "last heard 02:41", which is shown in place of the state; with the date after a day.
std::string lastHeardText(double heard, double now);

}  // namespace batchscope::common
