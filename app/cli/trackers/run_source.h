// SPDX-License-Identifier: Apache-2.0
//
// Runs of other experiment trackers on disk.
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

  // Returns the files with values, in the order in which they are read; there may be more later.
  std::vector<std::filesystem::path> files() const;
  // Makes the reader of one of the files.
  std::unique_ptr<FileReader> reader(const std::filesystem::path& file) const;
  // Whether each file is a start of the program; otherwise all files belong to one start.
  bool isGenerationAFile() const { return tracker == Tracker::tensorboard; }
  // Adds facts from small files beside these.
  void describe(Findings& findings) const;
};

// Returns the runs at a path; for a folder all runs in it and below, without following links. None if the
// path is a file that no tracker writes.
std::vector<RunSource> sourcesAt(const std::filesystem::path& path);

}  // namespace batchscope::cli
