// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "batchscope/protocol/json.h"
#include "store/store.h"

namespace batchscope::web {

// Answers the figures of "Why it scaled", which are those of the window (common/why_it_scaled.h), as API.md
// has it. Throws Error.
protocol::Json scaling_json(Store& store, const std::string& id);

// Answers those figures that compare runs, with a line for each of these runs; its colour is its place among
// them. Throws Error.
protocol::Json compared_json(Store& store, const std::vector<std::string>& ids);

}  // namespace batchscope::web
