// SPDX-License-Identifier: Apache-2.0
//
// New runs from a page. A page names a recipe that is installed on this machine, and values for its fields;
// the recipe names the program. So nobody can start another program by a page, or give one a path or words of
// a shell: a recipe's fields of free text keep their defaults (THREATS.md).
#pragma once

#include <string>

#include "batchscope/http/response.h"
#include "batchscope/protocol/json.h"
#include "store/store.h"

namespace batchscope::web {

// The recipes with the fields that a page may set: {"recipes":[..],"replicas":"1-4","devices":4}.
protocol::Json recipes_json();

// Returns the new run that a run's own settings make, named a copy of it, with the fields that
// submit_new_run takes. Throws Error(conflict) for a run that a page may not start: of no installed recipe,
// or with free text of its own.
protocol::Json clone_json(Store& store, const std::string& id);

// Puts a run into the queue as {"recipe":"digits","values":{"epochs":"3"},"name":..} says (API.md), for a
// `person` by name or the owner. Answers {"run":..,"job":..}, or 400 with what is wrong by its field:
// {"error":..,"fields":{"name":..,"values.epochs":..}}. With "check":true nothing is submitted, and the
// answer is {"fields":{..}}. Throws Error(usage) for what is not such a description.
http::Response submit_new_run(Store& store, const std::string& person, const protocol::Json& body);

// Starts such a run at once, beside the queue, as `batchscope run` does, on devices that no other run has;
// blocks as run::start_run. The fields of the queue are refused. Answers {"run":..,"job":null}, and the rest
// as submit_new_run. Throws the same, and as run::start_run.
http::Response start_new_run(Store& store, const std::string& person, const protocol::Json& body);

}  // namespace batchscope::web
