// SPDX-License-Identifier: Apache-2.0
//
// Forks of a run from a page: a new run that begins at a checkpoint of another one, as `batchscope fork`
// makes it. The fork starts the program that the run's record has. So a page forks the runs of installed
// recipes alone, which it may start anyhow, with other values of the recipe's fields (new_run.h, THREATS.md).
#pragma once

#include <string>

#include "batchscope/http/response.h"
#include "batchscope/protocol/json.h"
#include "store/store.h"

namespace batchscope::web {

// Forks the run as {"checkpoint":"checkpoint-000003","name":..,"replicas":2,"values":{"lr":"0.01"}} says
// (API.md), for a `person` by name or the owner; blocks as run::fork_run. Answers {"run":..}, or 400 with
// what is wrong by its field, as submit_new_run. With "check":true nothing is started, and the answer is
// {"run":null,"fields":{..},"recipe":..,"values":{..}} with the run's own values. Throws Error: usage,
// not_found, conflict, and as run::fork_run.
http::Response fork_run(Store& store, const std::string& id, const std::string& person,
                        const protocol::Json& body);

}  // namespace batchscope::web
