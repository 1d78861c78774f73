// SPDX-License-Identifier: Apache-2.0
//
// The training program as the fork server of its own replicas: loaded once, it forks each generation, which
// spares the half second that loading LibTorch takes. A process may only be forked while it is a single
// thread and holds no GPU, so this is init_process_group's first act, and it refuses where the program has
// been busy before. Replicas are forked twice, so that they become children of the supervisor (which is a
// subreaper) and are to it what executed ones are. Their random generators stand where an executed replica's
// would: nothing has been drawn since the program began. While a generation computes, as many processes as
// the largest one had are forked ahead and wait to be the next: no restart waits for a fork. Knows neither
// LibTorch nor replicas (protocol's fork_server.h is the contract), so that other programs may be served too.
#pragma once

namespace batchscope::replica {

// Returns false at once where BATCHSCOPE_FORK_SERVER asks for no server. Else it waits for orders, as long as
// the supervisor lives, and returns true in each replica, with that replica's environment, log and session;
// the server itself never returns.
bool serve_forks();

// Says that the program can be a fork server, where its file does not say so, as an interpreter's does not:
// it comes to init_process_group. Called before that.
void offer_fork_server();
bool offers_fork_server();

}  // namespace batchscope::replica
