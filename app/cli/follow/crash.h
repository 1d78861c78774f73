// SPDX-License-Identifier: Apache-2.0
//
// Where the program of a run failed, as far as Python's traceback in a log says so.
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

// The last one; none where no replica failed.
std::optional<Crash> lastCrash(const std::vector<storage::Generation>& generations);

// The frames of the traceback that are the program's own: at most 20 lines, each with its newline, harmless to
// a terminal. Empty where the replica's log ends otherwise.
std::string ownFrames(const std::string& run, const Crash& crash);

}  // namespace batchscope::cli
