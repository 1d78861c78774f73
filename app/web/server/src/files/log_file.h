// SPDX-License-Identifier: Apache-2.0
//
// The logs of a run's replicas: which there are, and the one that a request names.
#pragma once

#include <set>
#include <string>

#include "batchscope/http/request.h"
#include "batchscope/protocol/paths.h"

namespace batchscope::web {

// In the order of generations.
std::set<protocol::LogName> logs_of(const std::string& run);

// Reads `generation=` and `rank=` of the query; the first replica of the newest generation where it does not
// name them. Throws Error(usage), and Error(not_found) where there are logs, but not this one.
protocol::LogName log_in(const http::Request& request, const std::set<protocol::LogName>& logs);

}  // namespace batchscope::web
