// SPDX-License-Identifier: Apache-2.0
//
// Two runs that share devices, as a lesson shows them.
#pragma once

#include "batchscope/http/request.h"
#include "batchscope/protocol/json.h"
#include "store/store.h"

namespace batchscope::web {

// Answers ?runs=A,B&devices=8 as API.md has it. Throws Error.
protocol::Json sharing_json(Store& store, const http::Request& request);

}  // namespace batchscope::web
