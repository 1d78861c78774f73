// SPDX-License-Identifier: Apache-2.0
/// \file
/// The colour of a state, the same in all faces.
#pragma once

#include <string_view>

namespace batchscope::common {

/// Returns the tone of the state, by name, of a run, a job, a trial or a sweep: "good" while it trains, "bad"
/// where something went wrong, "plain" once it is over, else "warning": it waits, or is between states.
const char* toneOf(std::string_view state) noexcept;

}  // namespace batchscope::common
