// SPDX-License-Identifier: Apache-2.0
/// \file
/// The supervisor of one run: starts its generations, listens to its replicas, restarts them, writes the
/// store and answers the control socket. It is the process `batchscope supervise RUN`.
#pragma once

#include <string>
#include <vector>

namespace batchscope::run {

/// How the event begins that says, when a run ends, that its program reported none of its steps.
inline constexpr char kSilentProgram[] = "the program reported no steps";

/// Runs until the run is finished, failed or stopped; needs an Application (application.h), by which whatever
/// its event handlers throw ends the run as failed, with a checkpoint where that can be had. Returns an exit
/// code (protocol/error.h). `replicas` 0: one for each of the devices; without them as the run's spec says,
/// or its last generation when it has one. `devices` (protocol/devices.h): the first generation gets these
/// and no others; empty: what is free. Throws Error(conflict) where another supervisor holds the run, and the
/// Error that ended it at its start.
int supervise(const std::string& id, int replicas = 0, const std::vector<std::string>& devices = {});

}  // namespace batchscope::run
