// SPDX-License-Identifier: Apache-2.0
//
// Where the replicas agree to checkpoint and to leave. A signal reaches one replica at one moment; all must
// act after the same step. So between two optimizer steps every replica puts the strongest request it knows
// into an all-reduce that runs beside the next step, and takes its result at the next agreement point
// (AdaptDL's delayed exit flag). A single replica acts at once.
#pragma once

namespace batchscope::replica {

// Carries out what is due: triggers, then requests. Collective. Does not return when the agreement is to
// leave.
void agreement_point();

}  // namespace batchscope::replica
