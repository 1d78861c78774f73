// SPDX-License-Identifier: Apache-2.0
//
// Predictions of the model that was fitted to a run for other numbers of replicas and other batch sizes,
// beside the measurements.
#pragma once

#include <string>

#include "batchscope/http/request.h"
#include "batchscope/protocol/json.h"
#include "store/store.h"

namespace batchscope::web {

// Answers as API.md has it. Throws Error.
protocol::Json explorer_json(Store& store, const std::string& id, const http::Request& request);
// Returns the `batch_curve` of each number of replicas that `curve` has, by that number; empty where there is
// no model. Throws Error.
protocol::Json batch_curves_json(Store& store, const std::string& id);

}  // namespace batchscope::web
