// SPDX-License-Identifier: Apache-2.0
/// \file
/// The process `batchscope-sweep`: it begins the legs of sweeps (course.h), submits their trials to the pool
/// and writes down what came of them. It keeps no state of its own: where it is killed, the next one goes on
/// from the catalogue. It ends when no sweep is running.
#pragma once

#include <functional>

#include "batchscope/run/store_process.h"
#include "batchscope/sweep/workplace.h"

namespace batchscope::sweep {

/// The process as others find and start it.
inline constexpr run::StoreProcess kDriver{"batchscope-sweep", "sweep.lock", "sweep.log"};

/// Waits for a twentieth of a second. Returns the time, s, monotonic.
double next_tick();

/// Drives sweeps until no sweep is running and none of their runs trains `elsewhere`, where the sweeps that
/// have a workplace train. Needs a run::Application. Returns an exit code (protocol/error.h), at once where
/// another such process of this store lives. Throws Error where the catalogue cannot be opened. `tick`
/// is called before each look at whether there is something to do; the driver has no other time.
int run_driver(Workplace& elsewhere, const std::function<double()>& tick = next_tick);

}  // namespace batchscope::sweep
