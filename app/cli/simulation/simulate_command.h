// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace batchscope::cli {

// What `batchscope simulate` is to do.
struct SimulationChoice {
  std::string workload;  // a file
  std::string profiles;  // a folder
  std::vector<std::string> policies;
  int nodes = 16;
  int devices = 4;          // of each node
  double interval = 60;     // s
  double restart = 30;      // s
  double interference = 0;  // 0 to below 1
  std::string gantt;        // an .svg; empty: none
  bool force = false;       // overwrite it
  bool json = false;
};

int simulateWorkload(const SimulationChoice& choice);

}  // namespace batchscope::cli
