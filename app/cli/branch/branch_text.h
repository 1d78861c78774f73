// SPDX-License-Identifier: Apache-2.0
//
// A branching as a terminal shows it.
#pragma once

#include <string>

#include "batchscope/common/branchings.h"
#include "terminal/terminal.h"

namespace batchscope::cli {

// All lines: a heading, a row for each batch size, the answer, and what the run itself recorded there.
std::string branchingText(const common::Branching& branching, const std::string& run, const Style& style);

}  // namespace batchscope::cli
