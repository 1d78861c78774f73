// SPDX-License-Identifier: Apache-2.0
#include "process/process.h"

#include "batchscope/replica/process_group.h"
#include "process/session.h"

namespace batchscope::replica {

const Process& process() { return session().part<Process>(); }

}  // namespace batchscope::replica

namespace batchscope {

using replica::process;

int replica_rank() { return process().environment.replica_rank; }
int num_replicas() { return process().environment.num_replicas; }
int num_restarts() { return process().environment.num_restarts; }

}  // namespace batchscope
