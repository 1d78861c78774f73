// SPDX-License-Identifier: Apache-2.0
//
// Counts of the queue that only grow, as Prometheus' counters must: purging a run from the store does not
// lower them. They begin with the server, as AdaptDL's begin with its controller.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "batchscope/storage/catalogue.h"
#include "metrics/metrics_text.h"

namespace batchscope::web {

class JobCounts {
 public:
  explicit JobCounts(double since) : since_(since) {}

  // Adds the jobs that were submitted, or have ended, since the last look. `runs`: all of the catalogue.
  // Throws Error.
  void look(storage::Catalogue& catalogue, const std::vector<storage::Run>& runs);

  std::size_t submitted() const { return submitted_.size(); }
  // "succeeded", "failed" and "cancelled", each also where there is none.
  const std::map<std::string, Metrics::Completed>& completed() const { return completed_; }

 private:
  void add_submitted(const storage::Job& job);

  const double since_;  // s since 1970
  std::set<std::string> submitted_;
  std::set<std::pair<std::string, double>> ended_;  // runs and their ends: one that is resumed ends again
  std::map<std::string, Metrics::Completed> completed_ = {
      {"succeeded", {}}, {"failed", {}}, {"cancelled", {}}};
};

}  // namespace batchscope::web
