// SPDX-License-Identifier: Apache-2.0
/// \file
/// The supervisor of one run: starts its generations, listens to its replicas, restarts them, writes the
/// store and answers the control socket. It is the process `batchscope supervise RUN`.
#pragma once

#include <string>

namespace batchscope::run {

/// Runs until the run is finished, failed or stopped; needs a QCoreApplication. Returns an exit code
/// (protocol/error.h). `replicas` 0: as the run's spec says, or its last generation when it has one.
/// Throws Error(conflict) where another supervisor holds the run.
int supervise(const std::string& id, int replicas = 0);

}  // namespace batchscope::run
