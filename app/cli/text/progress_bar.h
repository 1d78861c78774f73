// SPDX-License-Identifier: Apache-2.0
//
// A run's status as text: four lines with two bars (this loop of the epoch, the whole run) for a terminal,
// one line while no step is known, or one sentence for a log. Pure: a status and a style in, text out.
#pragma once

#include <string>
#include <vector>

#include "batchscope/protocol/control.h"
#include "terminal/terminal.h"

namespace batchscope::cli {

// Returns lines without newlines, none wider than the style's width. What does not fit is left out, the least
// important first.
std::vector<std::string> progressLines(const std::string& name, const protocol::RunStatus& status,
                                       const Style& style);

// "0:12 running, epoch 2/4 train 43 %, run 36 %, 1:32 left, step 212, loss 0.5312, ..."
std::string progressSentence(const protocol::RunStatus& status);

// The colour that stands for a state everywhere: green running, yellow waiting, red failed.
Colour stateColour(const std::string& state);

}  // namespace batchscope::cli
