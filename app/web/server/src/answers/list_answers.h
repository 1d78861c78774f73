// SPDX-License-Identifier: Apache-2.0
//
// The queue with its devices, and sweeps with their trials.
#pragma once

#include <string>

#include "batchscope/protocol/json.h"
#include "batchscope/storage/catalogue.h"
#include "batchscope/sweep/sweeps.h"
#include "store/store.h"

namespace batchscope::web {

// Answer as API.md has it. Each throws Error.
protocol::Json queue_json(Store& store);
protocol::Json sweeps_json(Store& store);
protocol::Json sweep_json(Store& store, const std::string& name);

// The settings of the pool that a page shows: with the policies that there are.
protocol::Json pool_json(storage::Catalogue& catalogue);

// A sweep as the list has it, with what is to be read of it. `driven`: a process sees to it.
protocol::Json shown_sweep_json(const sweep::SweepView& view, bool driven);

}  // namespace batchscope::web
