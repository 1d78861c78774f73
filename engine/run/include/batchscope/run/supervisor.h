// SPDX-License-Identifier: Apache-2.0
/// \file
/// The supervisor of one run: starts its generations, listens to its replicas, restarts them, writes the
/// store and answers the control socket. It is the process `batchscope supervise RUN`.
#pragma once

#include <string>
#include <vector>

namespace batchscope::run {

/// The beginning of the event that says, at the end of a run, that its program reported none of its steps.
inline constexpr char kSilentProgram[] = "the program reported no steps";

/// Runs until the run is finished, failed or stopped; needs an Application (application.h): an exception of
/// its event handlers ends the run as failed, with a checkpoint where possible. Returns an exit code
/// (protocol/error.h). `replicas` 0: one for each of the devices, or without devices as many as in the run's
/// last generation, or else its spec. `devices` (protocol/devices.h): the first generation gets these and no
/// others; empty: those that are free. Throws Error(conflict) where another supervisor holds the run, and any
/// Error at its start.
int supervise(const std::string& id, int replicas = 0, const std::vector<std::string>& devices = {});

}  // namespace batchscope::run
