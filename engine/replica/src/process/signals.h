// SPDX-License-Identifier: Apache-2.0
//
// Requests to this replica: by signal, by the clock, or by the supervisor's death, which the telemetry's
// lifeline notices. The strongest request so far stands; the loop over data agrees on it with all replicas.
#pragma once

#include <cstdint>

namespace batchscope::replica {

enum class ExitRequest : std::int64_t {
  nothing,
  periodic_checkpoint,
  checkpoint,
  checkpoint_and_restart,
  checkpoint_and_exit
};
ExitRequest pending_request();            // cheap to read
void raise_request(ExitRequest request);  // async-signal-safe
void clear_request(ExitRequest up_to);    // after it has been carried out

// SIGTERM, SIGINT, SIGUSR1: raise a request, and return. A second SIGINT ends the process.
void catch_signals();

}  // namespace batchscope::replica
