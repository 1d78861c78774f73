// SPDX-License-Identifier: Apache-2.0
//
// Sched hints for AdaptDL's scheduler, where it is the one that runs this program: PUT URL/hints/JOB with the
// JSON of protocol/sched_hints.h, from a thread of its own and at most once in 30 seconds, as AdaptDL does,
// so that neither a step nor the fit ever waits for the network. A supervisor that does not take them is told
// of once and changes nothing else.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "batchscope/protocol/telemetry.h"

namespace batchscope::replica {

// Blocks for at most the time-out. Throws Error(usage) for a URL that is not http://HOST[:PORT][/PATH],
// Error(io | timeout) naming the URL where nobody takes the hints.
void put_sched_hints(const std::string& url, const std::string& job, const std::string& hints,
                     std::chrono::milliseconds timeout);

class SchedHintsClient {
 public:
  SchedHintsClient(std::string url, std::string job,
                   std::chrono::milliseconds interval = std::chrono::seconds(30));
  ~SchedHintsClient();  // does not wait: hints on their way may arrive or not
  SchedHintsClient(const SchedHintsClient&) = delete;
  SchedHintsClient& operator=(const SchedHintsClient&) = delete;

  // Returns at once. The newest model replaces one that still waits. Starts the thread at the first call.
  void post(const protocol::Model& model);

 private:
  struct Shared;
  const std::shared_ptr<Shared> shared_;
  bool started_ = false;
};

}  // namespace batchscope::replica
