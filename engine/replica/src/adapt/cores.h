// SPDX-License-Identifier: Apache-2.0
//
// How many cores this replica computes with, and what fewer of them would cost.
//
// Replicas on cores divide them, so that what a run does on twice the replicas hangs on what half the cores
// do (goodput/model.h, the core exponent). A lone replica can find out before anybody asks. Of its own steps
// it takes three now and then with half of its cores, and three with one:
//
//     half     after 20 steps, and after each 600
//     one      the same, times (cores - 1), three steps later
//
// With half of the cores a step takes at most twice as long: at most three steps' time once, and 0.5 % of the
// time later. The same holds for one core, which is tried the more seldom the more cores there are.
//
// The steps are chosen by their number alone, so that a run which is repeated computes the same.
// BATCHSCOPE_MEASURE_CORES=0 turns it off.
#pragma once

#include <cstdint>
#include <functional>

namespace batchscope::replica {

// The replica computes on so many cores, of which `use` makes it use fewer; 0: it computes elsewhere.
void set_cores(int cores, std::function<void(int)> use);

// The cores in force; 0: it does not compute on cores, or nobody knows.
int cores();
int all_cores();  // the same, but for steps that take fewer

// Chooses the cores of the step that follows so many.
void choose_cores(std::int64_t steps);
// The step is done; what comes before the next one has all cores.
void use_all_cores();

// The cores that a lone replica of `all` takes for that step.
int cores_of_step(std::int64_t steps, int all);

}  // namespace batchscope::replica
