// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/cluster_text.h"

#include <array>
#include <string_view>

namespace batchscope::common {
namespace {

// The usual reasons of squeue's manual page.
struct Reason {
  std::string_view word, meaning;
};
constexpr std::array<Reason, 11> kReasons{{
    {"Resources", "no nodes are free for it yet"},
    {"Priority", "jobs with higher priority go first"},
    {"Dependency", "the job that it follows has not ended yet"},
    {"BeginTime", "its start time has not come yet"},
    {"JobHeldUser", "its owner holds it"},
    {"JobHeldAdmin", "an administrator holds it"},
    {"ReqNodeNotAvail", "nodes that it needs are down or reserved"},
    {"PartitionDown", "the partition is down"},
    {"PartitionNodeLimit", "the partition has too few nodes"},
    {"PartitionTimeLimit", "the partition allows only shorter jobs"},
    {"None", "Slurm has not looked at it yet"},
}};

}  // namespace

std::string clusterName(const storage::Origin& origin) {
  if (origin.job && !origin.job->cluster.empty()) return origin.job->cluster;
  return origin.host.empty() ? origin.folder : origin.host;
}

std::string jobPlace(const storage::Origin& origin) {
  if (!origin.job || origin.job->number.empty()) return clusterName(origin);
  const storage::ClusterJob& job = *origin.job;
  std::string text = "job " + job.number + " on " + clusterName(origin);
  if (!job.partition.empty()) text += ", partition " + job.partition;
  if (!job.nodes.empty() && !storage::waits(job)) text += ", " + job.nodes;
  return text;
}

std::string waitReason(const storage::ClusterJob& job) {
  if (!storage::waits(job)) return {};
  // Slurm writes details behind a comma: "ReqNodeNotAvail, UnavailableNodes:n3".
  const std::string_view first = std::string_view(job.reason).substr(0, job.reason.find(','));
  for (const Reason& reason : kReasons)
    if (reason.word == first) return std::string(reason.meaning) + " (" + job.reason + ")";
  return job.reason;
}

}  // namespace batchscope::common
