// SPDX-License-Identifier: Apache-2.0
/// \file
/// When somebody heard last of a run that is only followed here. What the store says of it is its last word,
/// and no more true than that is new. The time of the file `heard` in the run's folder keeps it.
#pragma once

#include <optional>
#include <string>

#include "batchscope/storage/catalogue.h"

namespace batchscope::common {

/// Notes that something was heard of it now.
void noteHeard(const std::string& run);

/// Returns when it was heard last (s since 1970), if it is followed, has not ended, and nobody has heard of
/// it for a minute; else nothing, and its state is as the store says.
std::optional<double> lastHeard(const storage::Run& run, bool isFollowed, double now);

/// "last heard 02:41", which stands in the place of the state; with the date after a day.
std::string lastHeardText(double heard, double now);

}  // namespace batchscope::common
