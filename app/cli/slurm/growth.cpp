// SPDX-License-Identifier: Apache-2.0
#include "slurm/growth.h"

#include <fmt/core.h>

#include "batchscope/protocol/error.h"
#include "slurm/job_folder.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli::slurm {

bool needsNextJob(const std::string& run, int replicas) {
  const auto folder = jobFolderOf(run);
  const std::vector<Job> jobs = folder ? folder->jobs() : std::vector<Job>();
  if (jobs.empty()) return false;
  const Job& job = jobs.back();
  if (replicas <= job.nodes.least * job.replicas_per_node) return false;
  const int most = job.nodes.most * job.replicas_per_node;
  if (replicas > most)
    throw Error(ErrorKind::conflict,
                say("the run's jobs have at most {} with {} on each, which is room for {}",
                    plural(job.nodes.most, "node"), plural(job.replicas_per_node, "replica"), most));
  if (job.next.empty())
    throw Error(ErrorKind::conflict,
                say("job {} has room for {}, and no next job waits that could have more: {} says why",
                    job.number, plural(job.nodes.least * job.replicas_per_node, "replica"),
                    (folder->path() / fmt::format("job-{}.out", job.number)).string()));
  return true;
}

void wantInJobs(const std::string& run, const protocol::ReplicaCount& count) {
  if (const auto folder = jobFolderOf(run)) folder->want(count);
}

}  // namespace batchscope::cli::slurm
