// SPDX-License-Identifier: Apache-2.0
/// \file
/// The fitted models of runs that have trained on this machine, from which a new run learns about it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "batchscope/protocol/telemetry.h"

namespace batchscope::storage {

/// A run's newest model, and what it was fitted to.
struct MachineModel {
  std::string run = {};            ///< its id
  std::string program = {};        ///< that it trains
  std::vector<int> replicas = {};  ///< numbers that it has trained on for some time, each once, ascending
  protocol::Model model = {};      ///< its newest
};

/// The fewest steps of a generation with which its number of replicas counts as known to the model.
inline constexpr int kTellingSteps = 50;

/// Returns the models of runs that have held devices of this machine, newest run first; without runs that
/// were taken from elsewhere. Looks at the newest `most` models at most, which bounds its time, and opens
/// the catalogue for reading. Empty where there is no catalogue yet. A model that cannot be read is left
/// out. Throws Error where the catalogue cannot be read.
std::vector<MachineModel> machine_models(const std::filesystem::path& catalogue, std::size_t most = 200);

}  // namespace batchscope::storage
