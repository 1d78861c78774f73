// SPDX-License-Identifier: Apache-2.0
//
// Runs of other experiment trackers, as they are found on disk.
//
//     TensorBoard   a folder with events.out.tfevents.*; each file is a generation of its run
//     CSV           a file; only where it is named itself
//     W&B           wandb/run-DATE-ID, with run-ID.wandb and files/
//     MLflow        mlruns/EXPERIMENT/RUN, with meta.yaml, metrics/, params/ and tags/
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "trackers/findings.h"

namespace batchscope::cli {

enum class Tracker { tensorboard, csv, wandb, mlflow };

const char* trackerName(Tracker tracker);

struct RunSource {
  Tracker tracker;
  std::filesystem::path place;  // the folder or file, absolute and without links

  // Files with values, in the order in which they are read; there may be more later.
  std::vector<std::filesystem::path> files() const;
  // For one of them.
  std::unique_ptr<FileReader> reader(const std::filesystem::path& file) const;
  // Each file is a start of the program; else all are of one.
  bool isGenerationAFile() const { return tracker == Tracker::tensorboard; }
  // Adds what small files beside those say of the run.
  void describe(Findings& findings) const;
};

// The runs at a path, of a folder all in it and below; links there are not followed. None where the path is a
// file that no tracker writes.
std::vector<RunSource> sourcesAt(const std::filesystem::path& path);

}  // namespace batchscope::cli
