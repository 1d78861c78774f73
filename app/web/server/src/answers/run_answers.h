// SPDX-License-Identifier: Apache-2.0
//
// The list of runs, and all about one, as the catalogue has them. What their supervisors say is added later,
// on the event loop.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/http/request.h"
#include "batchscope/protocol/json.h"
#include "feeds/live_runs.h"
#include "store/store.h"

namespace batchscope::web {

// Every call throws Error.

struct RunList {
  protocol::Json json;  // as API.md has it, but that each "live" is null
  struct Active {
    std::size_t place = 0;  // in the list
    storage::Run run;
    std::optional<double> heard;  // as common::lastHeard
  };
  std::vector<Active> active;  // those that should have a supervisor
};
RunList list_runs(Store& store, const http::Request& request);
// Adds what the supervisors say.
void add_statuses(RunList& list, const LiveRuns::Statuses& statuses);

struct RunDetails {
  protocol::Json json;  // as API.md has it, but that "status" is null
  bool active = false;
};
RunDetails run_details(Store& store, const std::string& id);

}  // namespace batchscope::web
