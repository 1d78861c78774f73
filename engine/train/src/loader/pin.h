// SPDX-License-Identifier: Apache-2.0
//
// Pinned memory, from which copies to a GPU need not be waited for.
#pragma once

#include "batchscope/train/dataset.h"

namespace batchscope::train {

inline void pin(Batch& batch) {
  for (at::Tensor* tensor : {&batch.data, &batch.target})
    if (tensor->is_cpu()) *tensor = tensor->pin_memory();
}

}  // namespace batchscope::train
