// SPDX-License-Identifier: Apache-2.0
/// \file
/// The process `batchscope-sweep`: it begins the legs of sweeps (course.h), submits their trials to the pool
/// and writes down what came of them. It knows nothing of its own: killed at any moment, the next one goes on
/// from the catalogue. It ends when no sweep is running.
#pragma once

#include "batchscope/run/store_process.h"

namespace batchscope::sweep {

/// How others find and start it.
inline constexpr run::StoreProcess kDriver{"batchscope-sweep", "sweep.lock", "sweep.log"};

}  // namespace batchscope::sweep
