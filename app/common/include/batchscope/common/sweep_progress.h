// SPDX-License-Identifier: Apache-2.0
/// \file
/// How far a sweep has come, how its trials stand, and which of its parameters matter. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "batchscope/sweep/sweeps.h"

namespace batchscope::common {

/// How far a sweep has come.
struct SweepProgress {
  std::size_t wanted = 0;    ///< trials
  std::size_t done = 0;      ///< those of which no leg is under way
  std::size_t running = 0;   ///< the others that began
  std::size_t pending = 0;   ///< of those, they wait elsewhere
  std::size_t failed = 0;    ///< of those done
  std::size_t diverged = 0;  ///< the same
  double share = 0;          ///< of the whole sweep, an estimate from 0 to 1
  double elapsed = 0;        ///< s in which any trial trained
  double remaining = -1;     ///< s; negative: not known
};

/// Returns the progress at this time, s since 1970. A trial that pauses may go on, so that with rungs `share`
/// counts the iterations behind all trials against those that the rule will let them have.
SweepProgress progressOf(const sweep::SweepView& view, double now);

/// How a trial stands. One that had begun when its sweep was paused or ended is "interrupted" until that goes
/// on, and one that rests at a rung when its sweep is over has stopped there.
std::string trialState(const sweep::SweepView& view, std::size_t trial);

/// Returns the command to type in a shell, in whatever folder, to train with the winner's parameters; empty
/// where there is no best trial. A program and arguments of one's own may name files relative to the folder
/// in which the sweep was begun.
std::string bestCommandLine(const sweep::SweepView& view);

/// Returns the importance of each parameter, 0 to 1 (sweep/importance.h).
std::vector<double> importanceOf(const sweep::SweepView& view);

}  // namespace batchscope::common
