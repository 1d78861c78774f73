// SPDX-License-Identifier: Apache-2.0
#include "device/backend.h"

#include <algorithm>
#include <set>

#ifdef USE_C10D_NCCL
#include <cuda_runtime_api.h>

#include <array>
#include <fstream>
#endif

namespace batchscope::train {

std::string backend_for(const std::vector<std::string>& gpus) {
  const bool all_have_one =
      std::none_of(gpus.begin(), gpus.end(), [](const auto& gpu) { return gpu.empty(); });
  return all_have_one && std::set(gpus.begin(), gpus.end()).size() == gpus.size() ? "nccl" : "gloo";
}

std::string gpu_name(c10::Device device) {
#ifdef USE_C10D_NCCL
  std::array<char, 32> place{};  // domain:bus:device.function
  if (!device.is_cuda() || cudaDeviceGetPCIBusId(place.data(), place.size(), device.index()) != cudaSuccess)
    return {};
  std::string boot;  // of the machine's kernel, which containers share
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id") >> std::ws, boot);
  return boot + "/" + place.data();
#else
  return {};
#endif
}

}  // namespace batchscope::train
