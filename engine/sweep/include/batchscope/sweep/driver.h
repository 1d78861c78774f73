// SPDX-License-Identifier: Apache-2.0
/// \file
/// The process `batchscope-sweep`: it begins the legs of sweeps (course.h), submits their trials to the pool
/// and writes down what came of them. There is one a store, which holds `sweep.lock` beside the catalogue,
/// and it knows nothing of its own: killed at any moment, the next one goes on from the catalogue. It ends
/// when no sweep is running.
#pragma once

namespace batchscope::sweep {

/// Whether one is there. Never blocks and never fails: false where nobody can tell.
bool driver_alive() noexcept;

/// Starts it where none is there: detached, with its output in `sweep.log` beside the catalogue. Throws
/// Error(not_found) where that program is missing, Error(io).
void start_driver();

/// It. Returns an exit code (protocol/error.h), at once where another one of this store lives. Throws Error
/// where the catalogue cannot be opened.
int run_driver();

}  // namespace batchscope::sweep
