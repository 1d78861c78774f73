// SPDX-License-Identifier: Apache-2.0
//
// Options for jobs of Slurm, of a run's and of a sweep's alike.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace batchscope::cli {

struct SlurmOptions {
  static constexpr char kSitesDefault[] = "-";

  std::string partition;  // empty: not on Slurm
  std::string nodes;      // "1-4"
  std::optional<int> gpusPerNode, replicasPerNode;
  std::string time;
  std::vector<std::string> sbatchArguments;
  std::string folder;  // of runs, on a file system that the nodes share
  bool print = false;  // the script, and nothing is made
};

}  // namespace batchscope::cli
