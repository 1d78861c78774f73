// SPDX-License-Identifier: Apache-2.0
//
// A run's record as the JSON object that export writes and import reads: as in `show --json`, with the ledger
// and the goodput model.
#pragma once

#include "batchscope/protocol/json.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::cli {

inline constexpr char kExportFormat[] = "batchscope-run";
inline constexpr int kExportVersion = 1;

protocol::Json recordJson(const storage::RunRecord& record);

// Nothing of it is trusted. A run that was active when it was exported is `stopped`; its program cannot be
// started by `resume`, as it may be anything. Throws Error(corrupt) naming the field, Error(version) for a
// newer format.
storage::RunRecord recordFrom(const protocol::Json& json);

// Of a description that lists them. Both throw Error(corrupt) naming the field.
std::vector<storage::Checkpoint> checkpointsFrom(const protocol::Json& json);
std::vector<storage::LeaseEvent> leasesFrom(const protocol::Json& json);

}  // namespace batchscope::cli
