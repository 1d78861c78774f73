// SPDX-License-Identifier: Apache-2.0
//
// The list of runs, and all about one, as the catalogue has them. What their supervisors say is added later,
// on the event loop.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batchscope/common/trial_fold.h"
#include "batchscope/http/request.h"
#include "batchscope/protocol/json.h"
#include "live_runs.h"
#include "store.h"

namespace batchscope::web {

// Every call throws Error.

struct RunList {
  struct Entry {
    common::RunRow row;
    std::optional<double> heard;  // as common::lastHeard
  };
  std::vector<Entry> entries;
  std::size_t total = 0;            // of all that pass the filter
  std::vector<std::string> active;  // those of the entries that should have a supervisor
};
RunList list_runs(Store& store, const http::Request& request);
// As API.md has it.
protocol::Json list_json(const RunList& list, const LiveRuns::Statuses& statuses);

struct RunDetails {
  protocol::Json json;  // as API.md has it, but that "status" is null
  bool active = false;
};
RunDetails run_details(Store& store, const std::string& id);

}  // namespace batchscope::web
