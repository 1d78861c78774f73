// SPDX-License-Identifier: Apache-2.0
//
// How far a sweep has come, and the picture of it: three lines with a bar for a terminal, or one sentence for
// a log. Pure: a view, a time and a style in, text out.
#pragma once

#include <string>
#include <vector>

#include "batchscope/sweep/sweeps.h"
#include "terminal/terminal.h"

namespace batchscope::cli {

struct SweepProgress {
  std::size_t wanted = 0;    // trials
  std::size_t done = 0;      // those of which no leg is under way
  std::size_t running = 0;   // the others that began
  std::size_t pending = 0;   // of those, they wait elsewhere
  std::size_t failed = 0;    // of those done
  std::size_t diverged = 0;  // the same
  double share = 0;          // of the whole sweep, an estimate from 0 to 1
  double elapsed = 0;        // s in which any trial trained
  double remaining = -1;     // s; negative: not known
};

// At this time, s since 1970. A trial that pauses may go on, so that with rungs `share` counts the iterations
// behind all trials against those that the rule will let them have.
SweepProgress progressOf(const sweep::SweepView& view, double now);

// "7 of 32 trials, 2 training, 1 failed"
std::string countsText(const sweep::SweepView& view, const SweepProgress& progress);

// Lines without newlines, none wider than the style's width.
std::vector<std::string> sweepLines(const sweep::SweepView& view, const SweepProgress& progress,
                                    const Style& style);

// "4:03 running, 7 of 32 trials, 2 training, best accuracy 97.42 % by trial 5, 15:20 left"
std::string sweepSentence(const sweep::SweepView& view, const SweepProgress& progress);

}  // namespace batchscope::cli
