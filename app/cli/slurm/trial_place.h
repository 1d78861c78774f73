// SPDX-License-Identifier: Apache-2.0
//
// The place on Slurm where the trials of a sweep train, as the sweep's row in the catalogue keeps it
// (storage::Sweep).
#pragma once

#include <filesystem>
#include <string>

#include "slurm/job_script.h"

namespace batchscope::cli::slurm {

struct TrialPlace {
  JobRequest request;
  std::filesystem::path folder;  // in which the folders of runs are made
  bool fixed_replicas = false;   // the spec's number was given; else as many as there is room for

  std::string text() const;  // JSON
  // Throws Error(corrupt).
  static TrialPlace parse(const std::string& text);
};

}  // namespace batchscope::cli::slurm
