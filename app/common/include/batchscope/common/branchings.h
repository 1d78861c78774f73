// SPDX-License-Identifier: Apache-2.0
/// \file
/// The branchings of a run: runs of one group that began at one of its checkpoints and trained over the same
/// samples, each with its own batch size (run/branch.h), and the critical batch size that follows from them.
/// All of it is read from the store anew: what a branching was asked is in the specs of its runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batchscope/goodput/critical_batch_size.h"
#include "batchscope/protocol/branch.h"
#include "batchscope/protocol/json.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::common {

/// Another judgement of branches than the one that was asked for when they began.
struct BranchQuestion {
  std::string metric = {};               ///< a series of each step, the smaller the better; empty: as asked
  std::optional<double> tolerance = {};  ///< share of the smallest size's; none: as asked

  bool isAsAsked() const { return metric.empty() && !tolerance; }  ///< nothing else is asked
};

/// A run of a branching.
struct BranchRun {
  storage::Run run;                  ///< as the catalogue has it
  protocol::Branch branch;           ///< what it is to do
  bool isOver = false;               ///< it trains no more, and will not by itself
  std::string fault;                 ///< why it tells nothing; empty: it tells, or is not over
  double trained = 0;                ///< samples, as far as is known
  std::int64_t steps = 0;            ///< optimizer steps that it made
  std::optional<double> rateFactor;  ///< of the scaling rule, mean of its steps
};

/// All of a branching.
struct Branching {
  std::string group;                                   ///< its runs'
  protocol::Branch branch;                             ///< of its smallest batch size
  std::vector<BranchRun> runs;                         ///< by batch size
  std::optional<goodput::CriticalBatchSize> critical;  ///< none: not all are over, or they do not tell
  std::optional<double> noiseScale;                    ///< that the run recorded at the checkpoint
  std::optional<double> batchSize;                     ///< likewise, of its steps there

  bool isOver() const;  ///< all its runs are
};

/// Whether a run in this state trains no more, and will not by itself.
bool trainsNoMore(protocol::RunState state);

/// Returns the branchings of a run, the oldest first, without runs in the trash.
std::vector<Branching> branchingsOf(storage::Catalogue& catalogue, const std::string& run,
                                    const BranchQuestion& question = {});

/// Returns what was found of a batch size; null where nothing was.
const goodput::BranchLoss* lossOf(const Branching& branching, std::int64_t batchSize);

/// Returns the answer as a sentence: "256: at 512 the loss is higher", "at least 1024", and where it cannot
/// be told, why.
std::string criticalText(const goodput::CriticalBatchSize& critical);

/// {"group", "run", "checkpoint", "step", "progress", "samples", "metric", "over", "branches": [{"run",
/// "batch_size", "state", "steps", "lr_factor", "loss", "error", "excess", "excess_error", "verdict",
/// "fault"}], "tolerance", "critical_batch_size", "at_least", "below", "answer", "noise_scale",
/// "batch_size"}; null where something is unknown.
protocol::Json branchingJson(const Branching& branching);

/// Records, as the series "critical_batch_size" of the run at the checkpoint's step, what its branchings have
/// found and is not recorded yet: where the answer is one size. False where the run trains and so its series
/// are its supervisor's. Throws Error(io | corrupt).
bool recordCritical(storage::Catalogue& catalogue, const std::string& run,
                    const std::vector<Branching>& branchings);

}  // namespace batchscope::common
