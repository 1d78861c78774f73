// SPDX-License-Identifier: Apache-2.0
//
// The plan of which devices each run is to have: the policy's decision (policy/decision.h) for the machine
// and the nodes whose devices it lists, each kind of device for itself, and names of devices in place of
// their numbers. Pure.
//
// A round moves whoever may be moved. Between rounds only devices that nobody has are given away, so that
// whatever comes and goes unsettles nobody.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "world.h"

namespace batchscope::pool {

enum class Scope { round, free_devices };

struct Plan {
  // Devices by run, for those that the plan is about; a run that is not in it stays as it is.
  std::map<std::string, std::vector<std::string>> targets;
  protocol::PoolDecision decision;
  std::map<std::string, double> expected_ends;  // s since 1970, of those for which one is known
};

Plan make_plan(const World& world, Scope scope);

// How long a turn lasts, in seconds: as was asked, and no less than fifty of the longest restarts that were
// measured, so that taking turns costs two percent at most.
double turn_of(const World& world);

}  // namespace batchscope::pool
