// SPDX-License-Identifier: Apache-2.0
/// \file
/// The pool's process as others see it. Whoever finds something for it to decide starts it
/// (Catalogue::pool_needed says whether there is).
#pragma once

#include "batchscope/run/store_process.h"

namespace batchscope::run {

/// engine/pool/POOL.md.
inline constexpr StoreProcess kPool{"batchscope-pool", "pool.lock", "pool.log"};

}  // namespace batchscope::run
