// SPDX-License-Identifier: Apache-2.0
//
// GET /metrics, for Prometheus (METRICS.md): answered from the store, into which supervisors write the newest
// values each second. So a scrape asks no supervisor.
#pragma once

#include "batchscope/http/server.h"
#include "metrics/job_counts.h"
#include "store/worker.h"

namespace batchscope::web {

class MetricsAnswers {
 public:
  // OpenMetrics, or the older format for a client that takes only that.
  void answer(const http::Request& request, const http::Reply& reply);

 private:
  JobCounts counts_{storage::now()};  // of the worker's thread alone
  // A thread of its own: the port without a token is open to all users of the machine, who must not keep the
  // page waiting. The last member, so that the others outlive it.
  Worker reads_;
};

}  // namespace batchscope::web
