// SPDX-License-Identifier: GPL-3.0-or-later
//
// The state of a run in words: what the chip, the window title and the screen reader say.
#pragma once

#include <QString>

#include "batchscope/protocol/control.h"

namespace batchscope::desktop {

struct StatusText {
  QString text;  // "Training on 8 replicas"
  QString tone;  // "good", "warning", "bad", "plain": how the chip is coloured
};

StatusText describe(const protocol::RunStatus& status);
QString describeEpoch(const protocol::RunStatus& status);  // "Epoch 19 of 30"
QString describeTime(const protocol::RunStatus& status);   // "61 min, about 36 min left"
QString replicaCount(int replicas);                        // "1 replica", "8 replicas"

}  // namespace batchscope::desktop
