// SPDX-License-Identifier: Apache-2.0
//
// The list of runs, and all about one, as the catalogue has them. What their supervisors say is added later,
// on the event loop: here "live" and "status" are null.
#pragma once

#include <string>
#include <vector>

#include "batchscope/http/request.h"
#include "batchscope/protocol/json.h"
#include "store.h"

namespace batchscope::web {

// Every call throws Error.

struct RunList {
  protocol::Json json;              // as API.md has it
  std::vector<std::string> active;  // those of them that should have a supervisor
};
RunList list_runs(Store& store, const http::Request& request);

struct RunDetails {
  protocol::Json json;
  bool active = false;
};
RunDetails run_details(Store& store, const std::string& id);

}  // namespace batchscope::web
