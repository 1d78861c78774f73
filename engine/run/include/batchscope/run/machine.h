// SPDX-License-Identifier: Apache-2.0
/// \file
/// The devices of this machine, to train on. A device has the name that leases use: "cpu:3" is a core by the
/// system's number, "cuda:1" or "cuda:GPU-5b1c..." a GPU as the driver or CUDA_VISIBLE_DEVICES calls it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace batchscope::run {

/// The devices, each once, in the order in which they are given out.
struct Machine {
  std::vector<std::string> cores;  ///< that this process may run on; here() finds one at least
  std::vector<std::string> gpus;   ///< that CUDA_VISIBLE_DEVICES lets programs see; else all

  /// Returns this machine. Reads /dev and this process's affinity; never fails and never blocks.
  static Machine here();
};

/// Returns the GPUs that the driver shows in its folder of devices, whatever CUDA_VISIBLE_DEVICES says:
/// "cuda:0", by its numbers. Never fails.
std::vector<std::string> driver_gpus(const std::filesystem::path& devices = "/dev");

/// Lists devices for people, neighbours drawn together: "cpu:0-3, cpu:6, cuda:0".
std::string device_list(const std::vector<std::string>& devices);
/// Lists the same, with the threads of replicas that have several cores each: "cpu:0-3 (2 threads each)".
std::string device_list(const std::vector<std::string>& devices, int replicas);

}  // namespace batchscope::run
