// SPDX-License-Identifier: Apache-2.0
/// \file
/// How much the replicas of this machine slow one another down (kappa of goodput/model.h) and how long they
/// wait for one another (alpha_r), as runs have shown. These are the first guesses of a new run, which learns
/// its own as soon as it has trained with another number of replicas.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "batchscope/storage/machine_models.h"

namespace batchscope::run {

/// The contention that several runs have shown.
struct Contention {
  double share = 0;  ///< by which each neighbour lengthens a replica's micro-batch
  double least = 0;  ///< of one run
  double most = 0;   ///< of one run
  int runs = 0;      ///< that have shown it, at least 1
};

/// Returns the median of what the newest five runs of this program have shown on cores, or on GPUs. Where
/// none has, it is the median over programs. None where no run has trained on different numbers of replicas,
/// so that its neighbours' share could be told.
std::optional<Contention> shown_contention(std::span<const storage::MachineModel> models, bool on_gpus,
                                           const std::string& program = {});

/// Returns the seconds that synchronisation adds to a step of two replicas of this program, as the newest
/// five runs have shown on cores, or on GPUs: their median. Where none has, it is the least that another
/// program has shown: a larger gradient takes longer, and no gradient less. None where no run has trained on
/// several.
std::optional<double> shown_sync_time(std::span<const storage::MachineModel> models, bool on_gpus,
                                      const std::string& program);

}  // namespace batchscope::run
