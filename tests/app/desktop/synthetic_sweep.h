// SPDX-License-Identifier: GPL-3.0-or-later
//
// A believable sweep, written into the catalogue as the process that drives sweeps would have: its legs begin
// as sweep::next_leg says, and end with the values of a made-up program that likes a learning rate about 0.03
// and AdaScale. Trial 13 fails, and a large learning rate without AdaScale diverges.
#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "batchscope/storage/sweeps.h"

namespace batchscope::desktop::test {

struct SyntheticSweep {
  std::string name = "digits-lr";
  int trials = 40;
  std::string stop = "asha";                                    // as in a file
  std::size_t ended = std::numeric_limits<std::size_t>::max();  // legs; those behind them are under way
  bool hasRuns = true;
};

// Writes a sweep whose times lie before now, as those of four trials at a time would.
void writeSyntheticSweep(storage::Catalogue& catalogue, const SyntheticSweep& options = {});

}  // namespace batchscope::desktop::test
