// SPDX-License-Identifier: GPL-3.0-or-later
//
// The state of a run, and the pause of a restart, in words: what the chip, the window title and the screen
// reader say.
#pragma once

#include <QString>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "batchscope/protocol/control.h"
#include "batchscope/storage/catalogue.h"
#include "batchscope/storage/origins.h"

namespace batchscope::desktop {

struct StatusText {
  QString text;  // "Training on 8 replicas"
  QString tone;  // "good", "warning", "bad", "plain": how the chip is coloured
};

StatusText describe(const protocol::RunStatus& status);
QString describeEpoch(const protocol::RunStatus& status);  // "Epoch 19 of 30"
QString describeTime(const protocol::RunStatus& status);   // "61 min, about 36 min left"
QString replicaCount(int replicas);                        // "1 replica", "8 replicas"

// Why a followed run waits for its nodes, and until when; a sentence. Empty where it does not.
QString waitText(const storage::Origin& origin);

// "3 restarts, 2 of them after a crash"; empty where there was none.
QString describeRestarts(const std::vector<storage::Generation>& generations);

// The parts of a restart's pause, in the order in which they come.
// As the store and the control protocol name them.
inline constexpr std::array<const char*, 5> kPauseParts{"checkpoint", "stop", "launch", "restore",
                                                        "first step"};

// "First step", of one of those by its place.
QString pausePartText(std::size_t part);
// "Checkpoint 12 ms, Stop 3 ms, Launch 20 ms, ..."
QString describePause(const std::map<std::string, double>& parts);

}  // namespace batchscope::desktop
