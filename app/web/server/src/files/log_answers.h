// SPDX-License-Identifier: Apache-2.0
//
// The output of replicas, a piece at a time.
#pragma once

#include <string>

#include "batchscope/http/request.h"
#include "batchscope/protocol/json.h"
#include "store/store.h"

namespace batchscope::web {

// Answers as API.md has it. Throws Error.
protocol::Json log_json(Store& store, const std::string& id, const http::Request& request);

}  // namespace batchscope::web
