// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA's management library (https://docs.nvidia.com/deploy/nvml-api/), loaded where the machine has it, so
// that nothing is needed to build or to run without a GPU.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace batchscope::run {

// Use of a GPU, by whomever. NaN for what it does not tell.
struct GpuUse {
  double utilization = 0;  // 0..1, share of the last second or so in which a kernel ran
  double memory = 0;       // bytes in use
  double power = 0;        // W
  double temperature = 0;  // degrees Celsius
};

class Nvml {
 public:
  Nvml();  // loads the library; without it, or without a driver, read gives nothing
  ~Nvml();

  bool loaded() const { return static_cast<bool>(library_); }

  // Reads a GPU by its index or its UUID ("GPU-..."), as CUDA_VISIBLE_DEVICES names it.
  std::optional<GpuUse> read(const std::string& gpu) const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace batchscope::run
