// SPDX-License-Identifier: Apache-2.0
//
// Options for jobs of Slurm, for runs and for sweeps.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace batchscope::cli {

struct SlurmOptions {
  static constexpr char kSitesDefault[] = "-";
  static constexpr int kMostPerNode = 64;  // GPUs, replicas

  std::string partition;  // empty: not on Slurm
  std::string nodes;      // "1-4"
  std::optional<int> gpusPerNode, replicasPerNode;
  std::string time;
  std::vector<std::string> sbatchArguments;
  std::string folder;  // of runs, on a file system that the nodes share
  bool print = false;  // the script, and nothing is made
};

}  // namespace batchscope::cli
