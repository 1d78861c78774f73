// SPDX-License-Identifier: Apache-2.0
//
// A run's record as import reads it. Anybody may have written it.
#pragma once

#include "batchscope/storage/record_json.h"

namespace batchscope::cli {

// Reads a record as storage::record_from does, and throws the same. A run that was active when it was
// exported becomes `stopped`. `resume` does not start its program, which may be anything.
storage::RunRecord recordFrom(const protocol::Json& json);

}  // namespace batchscope::cli
