// SPDX-License-Identifier: Apache-2.0
//
// The progress of a sweep as text: three lines with a bar for a terminal, or one sentence for a log. Pure: a
// view, a time and a style in, text out.
#pragma once

#include <string>
#include <vector>

#include "batchscope/common/sweep_progress.h"
#include "terminal/terminal.h"

namespace batchscope::cli {

// "7 of 32 trials, 2 training, 1 failed"
std::string countsText(const sweep::SweepView& view, const common::SweepProgress& progress);

// Lines without newlines, none wider than the style's width.
std::vector<std::string> sweepLines(const sweep::SweepView& view, const common::SweepProgress& progress,
                                    const Style& style);

// "4:03 running, 7 of 32 trials, 2 training, best accuracy 97.42 % by trial 5, 15:20 left"
std::string sweepSentence(const sweep::SweepView& view, const common::SweepProgress& progress);

}  // namespace batchscope::cli
