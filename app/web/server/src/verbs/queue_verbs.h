// SPDX-License-Identifier: Apache-2.0
//
// The verbs of a page for jobs of the queue and for the pool, which do the same as the command line and the
// window (pool/queue.h). A page changes only settings of the pool that do not start anybody's command.
#pragma once

#include <functional>
#include <string>

#include "batchscope/protocol/json.h"
#include "store/store.h"

namespace batchscope::web {

// Something that is asked of a job, read and checked.
struct JobVerb {
  std::string what;  // in a word or two: "hold", "priority 3"
  // Does it, and returns the priorities that it changed: [{"run","before","after"}].
  std::function<protocol::Json(storage::Catalogue&, const storage::Run&)> act;
};

// Reads {"command":"hold"} and the like (API.md). Throws Error(usage).
JobVerb job_verb(const protocol::Json& body);

// Reads a priority. Throws Error(usage) for what is not a whole number from -10 to 10.
int priority_of(const protocol::Json& value);

// Does it to the run, for a `person` by name or the owner; blocks as pool::cancel does. Answers
// {"job":..,"changed":[..]}. Throws Error as pool/queue.h, Error(conflict) for a run that is only followed.
protocol::Json ask_of_job(Store& store, const std::string& id, const std::string& person,
                          const JobVerb& verb);

// Changes the pool's settings to those that the body names. Answers {"pool":..}. Throws Error(usage).
protocol::Json configure_pool(Store& store, const protocol::Json& body);

}  // namespace batchscope::web
