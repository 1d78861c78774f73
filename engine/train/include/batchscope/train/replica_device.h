// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/Device.h>

namespace batchscope {

/// Returns the device on which this replica should compute: BATCHSCOPE_DEVICE, or its own GPU where there is
/// one (shared when there are fewer GPUs than replicas), or the CPU. init_process_group() makes it the
/// calling thread's current one.
c10::Device replica_device();

}  // namespace batchscope
