// SPDX-License-Identifier: Apache-2.0
#include "process/process.h"

#include "batchscope/replica/process_group.h"

namespace batchscope {

// Never destroyed: peers and background threads may outlive static destructors, and the system closes
// sockets better than they do.
Process& this_process() {
  static Process& process = *new Process;
  return process;
}

const Process& process() { return this_process(); }

int replica_rank() { return process().environment.replica_rank; }
int num_replicas() { return process().environment.num_replicas; }
int num_restarts() { return process().environment.num_restarts; }

}  // namespace batchscope
