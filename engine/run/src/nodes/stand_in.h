// SPDX-License-Identifier: Apache-2.0
//
// The process that stands for one replica of another node: the supervisor signals it, kills it and reaps it
// as it does a replica here. Its signals go to the replica with their value, what the replica prints to its
// own output, what it tells to the supervisor's socket, and it ends as the replica did. When its line breaks,
// it is killed by its own hand; when it is killed, its line breaks, which kills the replica.
#pragma once

namespace batchscope::run {

// The order is read from this descriptor (messages.h). Returns an exit code, or does not return.
int stand_in(int order);

}  // namespace batchscope::run
