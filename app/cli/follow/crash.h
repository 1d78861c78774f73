// SPDX-License-Identifier: Apache-2.0
//
// The place where a run's program failed, as far as Python's traceback in a log tells.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batchscope/storage/catalogue.h"

namespace batchscope::cli {

struct Crash {
  int generation = 0;
  int rank = 0;  // of the replica that failed first
};

// Returns the last crash; none if no replica failed.
std::optional<Crash> lastCrash(const std::vector<storage::Generation>& generations);

// Returns the program's own frames of the traceback: at most 20 lines, each with its newline, harmless to a
// terminal. Empty if the replica's log does not end with a traceback.
std::string ownFrames(const std::string& run, const Crash& crash);

}  // namespace batchscope::cli
