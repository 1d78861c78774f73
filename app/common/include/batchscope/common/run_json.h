// SPDX-License-Identifier: Apache-2.0
/// \file
/// The details of a run as JSON, the same in `show`, in reports and in the answers of `batchscope serve`.
/// Records have the form of storage/record_json.h.
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

/// Returns everything about a run but its ledger: run, generations, epochs, checkpoints, events (the newest
/// `events` of them), hyperparameters, goodput, environment, origin. Throws Error as the catalogue does.
protocol::Json runDetailsJson(storage::Catalogue& catalogue, const storage::Run& run,
                              std::size_t events = SIZE_MAX);

/// Returns the place that a run was taken from, and the job that trains it there.
protocol::Json originJson(const storage::Origin& origin);

}  // namespace batchscope::common
