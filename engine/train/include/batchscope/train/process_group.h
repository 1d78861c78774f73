// SPDX-License-Identifier: Apache-2.0
/// \file
/// The beginning of a training program on LibTorch. Gradients travel by Gloo or NCCL, small objects by the
/// collective's sockets; between machines all use the interface that leads there (GLOO_SOCKET_IFNAME and
/// NCCL_SOCKET_IFNAME choose another). replica/process_group.h says how replicas find each other.
#pragma once

#include "batchscope/replica/process_group.h"
#include "batchscope/train/replica_device.h"

namespace batchscope {

/// Call once, first thing in main: sets thread counts, catches SIGTERM and SIGINT (checkpoint and exit 143
/// at the next agreed step; a second SIGINT forces the exit) and SIGUSR1 (checkpoint and go on), meets the
/// other replicas and connects to the supervisor where there is one. Blocks until all replicas are there.
/// Under a supervisor the program may be forked right here, once for each replica: what came before (reading
/// the command line) happens once for all, and must start no thread, run no tensor operation and touch no
/// GPU. From the first loop over data on, replicas that set one seed draw random numbers of their own; rank 0
/// draws those of the seed. Throws Error(timeout) naming who is missing, Error(usage) for a bad environment,
/// Error(conflict) when called twice.
void init_process_group(const ProcessGroupOptions& options = {});

}  // namespace batchscope
