// SPDX-License-Identifier: Apache-2.0
/// \file
/// A run in words, the same in window and page: its state, how far it is, its line in a list, and the pause
/// of a restart.
#pragma once

#include <QString>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "batchscope/common/trial_fold.h"
#include "batchscope/protocol/control.h"
#include "batchscope/storage/catalogue.h"
#include "batchscope/storage/origins.h"

namespace batchscope::common {

/// A state as people read it.
struct StatusText {
  QString text;  ///< "Training on 8 replicas"
  QString tone;  ///< "good", "warning", "bad", "plain": how it is coloured
};

StatusText describe(const protocol::RunStatus& status);
/// The same of a run that nobody supervises; "Diverged" of a trial that has (storage::shown_state).
StatusText describe(const storage::Run& run);
QString describeEpoch(const protocol::RunStatus& status);  ///< "Epoch 19 of 30"
QString describeTime(const protocol::RunStatus& status);   ///< "61 min, about 36 min left"
QString replicaCount(int replicas);                        ///< "1 replica", "8 replicas"

/// A run's line below its name: "epoch 3 of 5 · 0.981", "diverged after 40 steps", "rank 1 was killed".
QString detailText(const storage::Run& run);
/// The same of a row: of a fold "best accuracy 0.981 · 12 trials: 3 running, 9 wait at rung 1", as a narrow
/// list shows the beginning.
QString detailText(const RunRow& row);
/// The end of that line: "×2" while it trains, "done", or its state.
QString badgeText(const storage::Run& run);

/// What the catalogue knows of a run that nobody supervises, as its supervisor would say it; without times.
protocol::RunStatus statusOf(const storage::Run& run);
/// Takes over how far the run's supervisor says it is, but not its state.
void takeOver(const protocol::RunStatus& status, storage::Run& run);

/// Why a followed run waits for its nodes, and until when; a sentence. Empty where it does not.
QString waitText(const storage::Origin& origin);

/// "3 restarts, 2 of them after a crash"; empty where there was none.
QString describeRestarts(const std::vector<storage::Generation>& generations);

/// The parts of a restart's pause, in the order in which they come, as the store and the control protocol
/// name them.
inline constexpr std::array<const char*, 5> kPauseParts{"checkpoint", "stop", "launch", "restore",
                                                        "first step"};

/// "First step", of one of those by its place.
QString pausePartText(std::size_t part);
/// "Checkpoint 12 ms, Stop 3 ms, Launch 20 ms, ..."
QString describePause(const std::map<std::string, double>& parts);

}  // namespace batchscope::common
