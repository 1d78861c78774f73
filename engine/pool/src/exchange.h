// SPDX-License-Identifier: Apache-2.0
//
// Runs that wait for one another: each is to have devices that the next one has, and the last one those of
// the first. Where none of their devices is free, nobody can move. Then one of them gives its devices back,
// waits for as long as the others move, and goes on where it was to go.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace batchscope::pool {

// A run whose move waits, as others have some of the devices that it is to have.
struct WaitingMove {
  std::string run;
  std::vector<std::string> held, target;  // devices
};

// Returns the run that gives its devices back: of those that wait for themselves in the end the one with the
// fewest devices, the first of equals. None where nobody does: whoever is waited for goes first.
std::optional<std::string> gives_way(const std::vector<WaitingMove>& moves);

}  // namespace batchscope::pool
