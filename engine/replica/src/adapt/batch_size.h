// SPDX-License-Identifier: Apache-2.0
//
// The choice of the batch size (batch_shape.h says by what rule), which all replicas make alike.
#pragma once

#include "adapt/batch_shape.h"

namespace batchscope::replica {

// Rank 0's choice, on every replica. Collective.
BatchShape choose_shape(const BatchShape& current, const BatchShape& initial, const goodput::Bounds& limits);

}  // namespace batchscope::replica
