// SPDX-License-Identifier: Apache-2.0
//
// A run's record as import reads it: what export has written, by whomever.
#pragma once

#include "batchscope/storage/record_json.h"

namespace batchscope::cli {

// As storage::record_from, which it throws as. A run that was active when it was exported is `stopped`; its
// program cannot be started by `resume`, as it may be anything.
storage::RunRecord recordFrom(const protocol::Json& json);

}  // namespace batchscope::cli
