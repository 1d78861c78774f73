// SPDX-License-Identifier: Apache-2.0
//
// Forks of a run from a page: a new run that begins at a checkpoint of another one, as `batchscope fork`
// makes it. The fork starts the program and the arguments that the run's record has. So a page forks the runs
// of installed recipes alone, which it may start anyhow (new_run.h, THREATS.md).
#pragma once

#include <string>

#include "batchscope/protocol/json.h"
#include "store/store.h"

namespace batchscope::web {

// Forks the run as {"checkpoint":"checkpoint-000003","name":..,"replicas":2} says (API.md), for a `person` by
// name or the owner; blocks as run::fork_run. Answers {"run":..}. With "check":true nothing is started, and
// the answer is {"run":null}. Throws Error: usage, not_found, conflict, and as run::fork_run.
protocol::Json fork_run(Store& store, const std::string& id, const std::string& person,
                        const protocol::Json& body);

}  // namespace batchscope::web
