// SPDX-License-Identifier: Apache-2.0
//
// New sweeps from a page. A page names a recipe that is installed on this machine, and for some of its fields
// a range or a list of values to be searched; the recipe names the program. The engine checks each value
// against the recipe's bounds, as for a sweep's file. So nobody can have a sweep train another program, or
// give one a path or words of a shell (THREATS.md).
#pragma once

#include <string>

#include "batchscope/http/response.h"
#include "batchscope/protocol/json.h"
#include "store/store.h"

namespace batchscope::web {

// Begins a sweep as {"recipe":"digits","name":..,"metric":..,"goal":..,"trials":..,"method":..,
// "values":{"epochs":"3"},"search":{"lr":{"min":"0.001","max":"0.1","scale":"log"},
// "batch-size":{"values":["32","64"]}}} says (API.md). Answers {"sweep":..}, or 400 with what is wrong by its
// field: {"error":..,"fields":{"trials":..,"search.lr":..}}. With "check":true nothing begins, and the answer
// is {"fields":{..}}. Throws Error(usage) for what is not such a description, Error(conflict) where there is
// a sweep of this name.
http::Response begin_sweep(Store& store, const std::string& person, const protocol::Json& body);

}  // namespace batchscope::web
