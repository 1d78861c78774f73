// SPDX-License-Identifier: Apache-2.0
/// \file
/// The contention of this machine's replicas (kappa of goodput/model.h): how much they slow one another down,
/// as runs have shown. It is the first guess of a new run, which learns its own as soon as it has trained
/// with another number of neighbours.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "batchscope/storage/machine_models.h"

namespace batchscope::run {

/// The contention that several runs have shown.
struct Contention {
  double share = 0;   ///< by which each neighbour lengthens a replica's micro-batch
  double least = 0;   ///< of one run
  double most = 0;    ///< of one run
  int runs = 0;       ///< that have shown it, at least 1
  bool same = false;  ///< they train the same program

  /// Returns the first guess of a new run: this share, or half of it where only other programs have shown it.
  /// With the whole of theirs, most first predictions were too low (tests/bench/FIGURES.md, `predict.*`).
  double guess() const { return same ? share : share / 2; }
};

/// Returns the median of what the newest five runs of this program have shown on cores, or on GPUs. Where
/// none has, it is the median over programs. None where no run has trained on different numbers of replicas,
/// so that its neighbours' share could be told.
std::optional<Contention> shown_contention(std::span<const storage::MachineModel> models, bool on_gpus,
                                           const std::string& program = {});

}  // namespace batchscope::run
