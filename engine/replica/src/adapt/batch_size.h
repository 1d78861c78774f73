// SPDX-License-Identifier: Apache-2.0
//
// The choice of the batch size (batch_shape.h says by what rule), which all replicas make alike.
#pragma once

#include "adapt/batch_shape.h"

namespace batchscope::replica {

// Rank 0's choice, on every replica. Collective. Where nothing was chosen for so many replicas yet, it goes
// no farther from the step that was `before` on another number than the noise allows; 0: there was none.
BatchShape choose_shape(const BatchShape& current, const BatchShape& initial, const goodput::Bounds& limits,
                        std::int64_t before = 0);

}  // namespace batchscope::replica
