// SPDX-License-Identifier: Apache-2.0
/// \file
/// Sweeps of Weights & Biases, as their YAML files have them (docs.wandb.ai, "Sweep configuration options").
/// Settings that have no counterpart here and do not change the search are left out and named; those that
/// would make it another search are refused.
#pragma once

#include <string>
#include <vector>

#include "batchscope/sweep/sweep_file.h"

namespace batchscope::sweep {

/// An imported file.
struct Imported {
  SweepFile sweep;                 ///< as load() would have it
  std::vector<std::string> notes;  ///< "FILE:LINE: what is different here", in the order of the file
};

/// Reads the file. Throws Error(not_found | usage) naming file, line and key.
Imported import_wandb(const std::filesystem::path& file);

}  // namespace batchscope::sweep
