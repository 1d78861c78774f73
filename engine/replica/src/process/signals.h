// SPDX-License-Identifier: Apache-2.0
//
// Signals as requests: SIGTERM and SIGINT ask for a checkpoint and the end, SIGUSR1 for a checkpoint. They
// are carried out at the next step that all replicas agree on (process.h's Ask); a second SIGINT does not
// wait for that.
#pragma once

namespace batchscope {

void catch_signals();

}  // namespace batchscope
