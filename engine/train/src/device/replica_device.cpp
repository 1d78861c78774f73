// SPDX-License-Identifier: Apache-2.0
#include "batchscope/train/replica_device.h"

#include <torch/cuda.h>

#include <algorithm>

#include "process/process.h"

namespace batchscope {

using namespace replica;

c10::Device replica_device() {
  const protocol::Environment& environment = process().environment;
  if (environment.device == "auto" && !torch::cuda::is_available()) return c10::kCPU;
  const c10::Device named(environment.device == "auto" ? "cuda" : environment.device);
  if (!named.is_cuda() || named.has_index()) return named;
  if (environment.devices_per_replica > 1) return {c10::kCUDA, 0};  // it sees its own alone
  const auto count = std::max<int>(1, static_cast<int>(torch::cuda::device_count()));
  return {c10::kCUDA, static_cast<c10::DeviceIndex>(environment.replica_rank % count)};
}

}  // namespace batchscope
