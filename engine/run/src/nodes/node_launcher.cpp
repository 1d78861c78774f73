// SPDX-License-Identifier: Apache-2.0
#include "nodes/node_launcher.h"

#include <signal.h>

#include "batchscope/protocol/error.h"

namespace batchscope::run {

// The others first: theirs is the longer way.
std::vector<pid_t> NodeLauncher::launch(const std::vector<ReplicaOrder>& orders) {
  std::vector<pid_t> pids(orders.size());
  std::vector<ReplicaOrder> here;
  try {
    for (std::size_t rank = 0; rank < orders.size(); ++rank)
      if (orders[rank].node.empty())
        here.push_back(orders[rank]);
      else
        pids[rank] = agents_.launch(orders[rank]);
    const std::vector<pid_t> launched = here_.launch(here);
    auto next = launched.begin();
    for (std::size_t rank = 0; rank < orders.size(); ++rank)
      if (orders[rank].node.empty()) pids[rank] = *next++;
  } catch (const Error&) {
    for (const pid_t pid : pids)
      if (pid > 0) kill(-pid, SIGKILL);  // reaped like any other child
    throw;
  }
  return pids;
}

}  // namespace batchscope::run
