// SPDX-License-Identifier: Apache-2.0
//
// When somebody heard last of a run that is only followed here. What the store says of it is its last word,
// and no more true than that is new. The time of the file `heard` in the run's folder keeps it.
#pragma once

#include <string>

#include "batchscope/storage/catalogue.h"

namespace batchscope::cli {

// Notes that something was heard of it now.
void noteHeard(const std::string& run);

// The state of a run as lists show it: "last heard 02:41" for one that is followed, has not ended, and of
// which nobody has heard for a minute; else the state's name.
std::string heardState(const storage::Run& run, bool isFollowed, double now);

}  // namespace batchscope::cli
