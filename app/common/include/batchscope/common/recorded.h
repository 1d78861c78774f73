// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs of programs that report nothing, such as a script without `batchscope.record`: of their steps and
/// epochs nothing is known, which is not the same as none.
#pragma once

#include "batchscope/protocol/control.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::common {

/// The text in place of such a run's steps, epochs and progress.
inline constexpr char kNotRecorded[] = "not recorded";

/// Whether a run has finished without a step or an epoch.
inline bool isUnrecorded(const storage::Run& run) {
  return run.state == protocol::RunState::finished && run.step == 0 && run.epoch == 0;
}

/// Whether a status tells of a program that runs, or has run, and of none of its steps.
inline bool isUnrecorded(const protocol::RunStatus& status) {
  const bool isUnderWay =
      status.state == protocol::RunState::running || status.state == protocol::RunState::finished;
  return isUnderWay && status.step == 0 && status.epoch == 0 && status.loop.empty();
}

}  // namespace batchscope::common
