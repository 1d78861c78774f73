// SPDX-License-Identifier: Apache-2.0
//
// The use of the machine by each replica of a generation: processor and memory of its process, and of the GPU
// that it said it trains on what NVML tells. The series are named in protocol/device_series.h.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "devices/nvml.h"

namespace batchscope::run {

class DeviceMetrics {
 public:
  // No replica is known any more.
  void begin_generation();
  // Where it trains, as its Hello says: "cpu", "cuda:0". `visible`: its CUDA_VISIBLE_DEVICES, or null.
  void trains_on(int rank, const std::string& device, const char* visible);

  // Replicas that are told of at a time.
  static constexpr int kAtOnce = 16;

  // Series and values of now, for the living processes by rank: of kAtOnce of them, which take turns where
  // there are more, so that what is read and recorded does not grow with their number. Processor time is
  // since the process was read before, so it has none at the first.
  std::vector<std::pair<std::string, double>> read(const std::map<int, pid_t>& processes);

 private:
  struct Processor {
    pid_t pid = 0;
    double used = 0;  // s of processor time
    double at = 0;    // s, monotonic
  };

  Nvml nvml_;
  int next_rank_ = 0;                // whose turn it is
  std::map<int, std::string> gpus_;  // by rank, as Nvml names them
  std::map<int, Processor> processors_;
};

// The GPU that a program knows as this device ("cuda:1", "cuda"), where it sees these (the value of
// CUDA_VISIBLE_DEVICES, or null for all of them); empty for what is not a GPU.
std::string physical_gpu(const std::string& device, const char* visible);

}  // namespace batchscope::run
