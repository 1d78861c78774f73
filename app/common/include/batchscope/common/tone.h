// SPDX-License-Identifier: Apache-2.0
/// \file
/// How a state is coloured, the same in all faces.
#pragma once

#include <string_view>

namespace batchscope::common {

/// Returns the tone of a run's, a job's, a trial's or a sweep's state by its name: "good" while it trains,
/// "bad" where something went wrong, "plain" once it is over, else "warning": it waits, or is between states.
const char* toneOf(std::string_view state) noexcept;

}  // namespace batchscope::common
