// SPDX-License-Identifier: Apache-2.0
//
// The server's answers about one run, put together for a page that will have no server: who looks at the
// recording sees what a person with a link sees, less the logs.
#pragma once

#include <string>

#include "batchscope/protocol/json.h"
#include "store/store.h"

namespace batchscope::web {

// Answers as API.md has it ("Recordings"). Throws Error.
protocol::Json recorded_answers(Store& store, const std::string& id);

}  // namespace batchscope::web
