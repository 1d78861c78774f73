// SPDX-License-Identifier: Apache-2.0
/// \file
/// The progress of a sweep, the states of its trials, and the importance of its parameters. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "batchscope/sweep/sweeps.h"

namespace batchscope::common {

/// The progress of a sweep.
struct SweepProgress {
  std::size_t wanted = 0;    ///< trials
  std::size_t done = 0;      ///< trials without a leg under way
  std::size_t running = 0;   ///< the others that have begun
  std::size_t pending = 0;   ///< of those, waiting on another machine
  std::size_t failed = 0;    ///< of the done
  std::size_t diverged = 0;  ///< of the done
  double share = 0;          ///< of the whole sweep, an estimate from 0 to 1
  double elapsed = 0;        ///< s in which any trial trained
  double remaining = -1;     ///< s; negative: not known
};

/// Returns the progress at this time, s since 1970. A trial that pauses may go on, so that with rungs `share`
/// counts the iterations behind all trials against those that the rule will let them have.
SweepProgress progressOf(const sweep::SweepView& view, double now);

/// Returns the state of a trial. A trial that had begun when its sweep was paused or ended is "interrupted"
/// until the sweep goes on. A trial that rests at a rung when its sweep is over is "stopped".
std::string trialState(const sweep::SweepView& view, std::size_t trial);

/// Returns the shell command, for any folder, that trains with the best trial's parameters; empty without a
/// best trial. The command enters the sweep's folder first where its program or arguments may name files
/// relative to it.
std::string bestCommandLine(const sweep::SweepView& view);

/// Returns the importance of each parameter, 0 to 1 (sweep/importance.h).
std::vector<double> importanceOf(const sweep::SweepView& view);

}  // namespace batchscope::common
