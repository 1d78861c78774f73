// SPDX-License-Identifier: Apache-2.0
/// \file
/// A run in words, the same in window and page: its state, its progress, its line in a list, and the pause of
/// a restart.
#pragma once

#include <QString>
#include <array>
#include <map>
#include <string>
#include <string_view>
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
/// Returns the same for a run without a supervisor; "Diverged" for a trial that has diverged
/// (storage::shown_state).
StatusText describe(const storage::Run& run);
QString describeEpoch(const protocol::RunStatus& status);  ///< "Epoch 19 of 30"
QString describeTime(const protocol::RunStatus& status);   ///< "61 min, about 36 min left"
QString replicaCount(int replicas);                        ///< "1 replica", "8 replicas"

/// Returns a value of a series: "98.12 %" of a fraction such as the accuracy, else a number as 4.21.
QString seriesText(std::string_view series, double value);

/// Returns a run's line below its name: "epoch 3 of 5 · 98.12 %", "diverged after 40 steps", "rank 1 was
/// killed".
QString detailText(const storage::Run& run);
/// Returns the same for a row; for a fold "best accuracy 98.12 % · 12 trials: 3 running, 9 wait at rung 1",
/// the best first, since a narrow list cuts off the end.
QString detailText(const RunRow& row);
/// Returns the end of that line: "×2" while the run trains, "done", or its state.
QString badgeText(const storage::Run& run);

/// Returns the status of a run without a supervisor, as far as the catalogue knows it; without times.
protocol::RunStatus statusOf(const storage::Run& run);
/// Copies the progress that the run's supervisor reports into the run, but not the state.
void takeOver(const protocol::RunStatus& status, storage::Run& run);

/// Returns why a followed run waits for its nodes, and its expected start, as a sentence; empty where it does
/// not wait.
QString waitText(const storage::Origin& origin);

/// Returns "3 restarts, 2 of them after a crash"; empty without a restart.
QString describeRestarts(const std::vector<storage::Generation>& generations);

/// Returns the newest restart that is over; null before the first.
const storage::Generation* lastRestart(const std::vector<storage::Generation>& generations);

/// The parts of a restart's pause, in the order in which they come, as the store and the control protocol
/// name them.
inline constexpr std::array<const char*, 5> kPauseParts{"checkpoint", "stop", "launch", "restore",
                                                        "first step"};

/// Returns the part at this place of kPauseParts in words, such as "First step".
QString pausePartText(std::size_t part);
/// Returns "Checkpoint 12 ms, Stop 3 ms, Launch 20 ms, ..."
QString describePause(const std::map<std::string, double>& parts);

}  // namespace batchscope::common
