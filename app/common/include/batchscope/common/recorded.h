// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs of programs that report nothing, such as a script without `batchscope.record`: their steps and epochs
/// are unknown, which is not the same as zero.
#pragma once

#include <QtGlobal>

#include "batchscope/protocol/control.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::common {

/// The text in place of such a run's steps, epochs and progress.
inline constexpr char kNotRecorded[] = QT_TR_NOOP("not recorded");

/// Returns whether a run has finished without a step or an epoch.
inline bool isUnrecorded(const storage::Run& run) {
  return run.state == protocol::RunState::finished && run.step == 0 && run.epoch == 0;
}

/// Returns whether the program runs, or has run, and the status knows none of its steps.
inline bool isUnrecorded(const protocol::RunStatus& status) {
  const bool isUnderWay =
      status.state == protocol::RunState::running || status.state == protocol::RunState::finished;
  return isUnderWay && status.step == 0 && status.epoch == 0 && status.loop.empty();
}

}  // namespace batchscope::common
