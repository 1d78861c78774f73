// SPDX-License-Identifier: Apache-2.0
/// \file
/// Names of the series in which the supervisor records, once a second, what each replica uses of the machine:
/// `device/<what>/<rank>`. Their steps are the run's at that second, so a step may have several values, or
/// none.
#pragma once

#include <string>

namespace batchscope::protocol::series {

inline constexpr char kCpu[] = "cpu";                         ///< cores in use: 1 is one of them all the time
inline constexpr char kMemory[] = "memory";                   ///< bytes resident
inline constexpr char kGpuUtilization[] = "gpu_utilization";  ///< of the replica's GPU, 0..1, all processes
inline constexpr char kGpuMemory[] = "gpu_memory";            ///< bytes in use on it, all processes
inline constexpr char kGpuPower[] = "gpu_power";              ///< W
inline constexpr char kGpuTemperature[] = "gpu_temperature";  ///< degrees Celsius

inline constexpr char kDevicePrefix[] = "device/";  ///< of the names of all of them

/// Returns the name of the series of one of the above and a replica.
inline std::string device_series(const char* what, int rank) {
  return std::string(kDevicePrefix) + what + "/" + std::to_string(rank);
}

}  // namespace batchscope::protocol::series
