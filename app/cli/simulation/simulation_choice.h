// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace batchscope::cli {

// Options of `batchscope simulate`.
struct SimulationChoice {
  // Limits of the numbers; seconds where nothing else is said.
  static constexpr int kMostNodes = 4096, kMostDevices = 64;
  static constexpr double kLeastInterval = 0.1, kLongest = 86'400;
  static constexpr double kMostInterference = 0.999999;  // a share

  static std::vector<std::string> usualPolicies() { return {"fair", "fast"}; }

  std::string workload;               // a CSV file, or a scenario (scenario_file.h); empty: that of the runs
  std::string profiles;               // a folder, or "runs:GROUP" (recorded_queue.h)
  std::vector<std::string> policies;  // empty: the usual ones
  std::optional<int> nodes;
  std::optional<int> devices;          // of each node
  std::optional<double> interval;      // s
  std::optional<double> restart;       // s
  std::optional<double> interference;  // 0 to below 1
  bool interpolate = false;            // a model stands in for placements that were not measured
  std::vector<std::string> expect;     // claims (simulation_claim.h)
  std::string gantt;                   // an .svg; empty: none
  bool force = false;                  // overwrite it
  bool json = false;
};

}  // namespace batchscope::cli
