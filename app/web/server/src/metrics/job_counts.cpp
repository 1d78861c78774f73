// SPDX-License-Identifier: Apache-2.0
#include "metrics/job_counts.h"

#include <algorithm>

#include "batchscope/pool/queue.h"

namespace batchscope::web {

void JobCounts::add_submitted(const storage::Job& job) {
  if (job.submitted >= since_) submitted_.insert(job.run);
}

void JobCounts::look(storage::Catalogue& catalogue, const std::vector<storage::Run>& runs) {
  for (const storage::Job& job : catalogue.jobs()) add_submitted(job);
  for (const storage::Run& run : runs) {
    if (run.ended < since_ || ended_.contains({run.id, run.ended})) continue;
    const auto job = catalogue.job(run.id);
    ended_.insert({run.id, run.ended});
    if (!job) continue;
    add_submitted(*job);
    const auto found = completed_.find(pool::job_state_name(pool::job_state(run, *job)));
    if (found == completed_.end()) continue;  // it is going on again
    ++found->second.count;
    found->second.seconds += std::max(run.ended - job->submitted, 0.0);
  }
}

}  // namespace batchscope::web
