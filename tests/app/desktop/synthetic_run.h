// SPDX-License-Identifier: GPL-3.0-or-later
//
// A believable run, written into a store of its own as a supervisor would have: three generations on 2, 4 and
// 8 replicas, the third resumed from a checkpoint a tenth of a generation back, with all series the window
// draws, events, checkpoints, hyperparameters and a fitted model.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "batchscope/storage/catalogue.h"

namespace batchscope::desktop::test {

struct SyntheticOptions {
  std::string name = "digits-cnn";
  std::int64_t stepsPerGeneration = 2400;
  protocol::RunState state = protocol::RunState::finished;
  bool hasModel = true;
  unsigned seed = 7;  // of its noise
  double loss = 1;    // how high its loss lies
  std::string group = {};
  std::vector<std::string> own = {};  // names of series that only its program records
};

// Returns the run's id. The catalogue lies at protocol::catalogue_path(), so set BATCHSCOPE_DB first.
std::string writeSyntheticRun(storage::Catalogue& catalogue, const SyntheticOptions& options = {});

// A run as the list shows it, without samples.
std::string writeListedRun(storage::Catalogue& catalogue, const std::string& name, protocol::RunState state,
                           double accuracy);

}  // namespace batchscope::desktop::test
