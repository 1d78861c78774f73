// SPDX-License-Identifier: Apache-2.0
//
// The queue with its devices, and sweeps with their trials.
#pragma once

#include <string>

#include "batchscope/http/request.h"
#include "batchscope/http/response.h"
#include "batchscope/protocol/json.h"
#include "batchscope/storage/catalogue.h"
#include "batchscope/sweep/sweeps.h"
#include "store/store.h"

namespace batchscope::web {

// Answer as API.md has it. Each throws Error.
protocol::Json queue_json(Store& store);
// The newest decisions of the pool, ?limit=50 of them.
protocol::Json decisions_json(Store& store, const http::Request& request);
protocol::Json sweeps_json(Store& store);
protocol::Json sweep_json(Store& store, const std::string& name);

// The settings of the pool that a page shows: with the policies that there are.
protocol::Json pool_json(storage::Catalogue& catalogue);

// Returns the sweep of exactly this name: a person at a terminal may write the beginning of one, which must
// not find another sweep here. Throws Error(not_found).
storage::Sweep sweep_called(storage::Catalogue& catalogue, const std::string& name);

// A sweep's trials as a file to be kept, as `batchscope sweep export` writes them: ?format=csv, json or toml.
http::Response trials_file(Store& store, const std::string& name, const http::Request& request);

// A sweep as the list has it, with what is to be read of it. `driven`: a process sees to it.
protocol::Json shown_sweep_json(const sweep::SweepView& view, bool driven);

}  // namespace batchscope::web
