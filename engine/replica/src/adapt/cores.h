// SPDX-License-Identifier: Apache-2.0
//
// How many cores this replica computes with, and what fewer of them would cost.
//
// Replicas on cores divide them, so that what a run does on twice the replicas hangs on what half the cores
// do (goodput/model.h, the core exponent). A lone replica can find out before anybody asks: now and then it
// takes a few of its own steps with fewer of its cores. BATCHSCOPE_MEASURE_CORES=0 turns it off.
//
// A run of a fixed batch size takes three such steps, chosen by their number alone, so that a run which is
// repeated computes the same:
//
//     half     after 20 steps, and after each 600
//     one      the same, times (cores - 1), three steps later
//
// With half of the cores a step takes at most twice as long: at most three steps' time once, and 0.5 % of the
// time later. The same holds for one core, which is tried the more seldom the more cores there are.
//
// A run whose batch size goodput chooses is another each time anyway. It keeps the cores that it finds to be
// the fastest (core_trials.h): beside a busy process, two threads that wait for one another can take twenty
// times as long as one.
#pragma once

#include <cstdint>
#include <functional>

#include "adapt/batch_shape.h"

namespace batchscope::replica {

// The replica computes on so many cores, of which `use` makes it use fewer; 0: it computes elsewhere.
void set_cores(int cores, std::function<void(int)> use);

// The cores in force; 0: it does not compute on cores, or nobody knows.
int cores();
int all_cores();  // those that it has

// Returns whether this replica keeps the cores that are fastest where its run is free to.
bool keeps_fastest_cores();

// Chooses the cores of the step that follows so many; where `freely`, by what steps took.
void choose_cores(std::int64_t steps, bool freely);
// A full step of a free run has taken so many seconds with so many cores.
void cores_took(int cores, const BatchShape& shape, double seconds);
// The step is done; what comes before the next one has the cores that the replica keeps.
void use_own_cores();

// The cores that a lone replica of `all` takes for that step.
int cores_of_step(std::int64_t steps, int all);

}  // namespace batchscope::replica
