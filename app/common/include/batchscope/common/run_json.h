// SPDX-License-Identifier: Apache-2.0
/// \file
/// What there is to say of a run, as JSON: the same in `show`, in reports and in what `batchscope serve`
/// answers. Its records are as storage/record_json.h has them.
#pragma once

#include <cstddef>
#include <string>

#include "batchscope/protocol/json.h"
#include "batchscope/storage/origins.h"
#include "batchscope/storage/record_json.h"

namespace batchscope::common {

/// Returns the variables that the supervisor added to its own environment for the newest generation, as an
/// object of strings; null before there was one.
protocol::Json environmentJson(const std::string& run);

/// Everything about a run but its ledger: run, generations, epochs, checkpoints, events (the newest `events`
/// of them), hyperparameters, goodput, environment, origin. Throws Error as the catalogue does.
protocol::Json runDetailsJson(storage::Catalogue& catalogue, const storage::Run& run,
                              std::size_t events = SIZE_MAX);

/// Where a run was taken from, and the job that trains it there.
protocol::Json originJson(const storage::Origin& origin);

}  // namespace batchscope::common
