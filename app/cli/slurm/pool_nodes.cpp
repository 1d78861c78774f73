// SPDX-License-Identifier: Apache-2.0
#include "slurm/pool_nodes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "batchscope/common/shell_words.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/run/pool.h"
#include "batchscope/storage/catalogue.h"
#include "slurm/holders.h"
#include "slurm/job_submission.h"
#include "slurm/submission_lock.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {
namespace slurm {
namespace {

// Reaches a node as `srun .. JOB PROGRAM`: each job has one. All of its cores are the agent's.
constexpr char kReachedBy[] = "srun --overlap --nodes=1 --ntasks=1 --cpu-bind=none --jobid";
constexpr double kLongestWait = 300;           // s
constexpr int kLooks = 20, kLeastBetween = 3;  // s

JobRequest holderRequest(const SlurmOptions& options) {
  const JobRequest request = requestOf(options, {});
  check(request, {});
  return request;
}

// A holder waits until it is cancelled, or until the pool has not beaten for twice as long as a node may be
// idle: a pool that is gone cannot cancel it. Only changes of the file's time count, as clocks differ.
std::string holderScript() {
  const double wait = 2 * std::min(run::idle_node_patience(), kLongestWait);
  return fmt::format(
      "# Holds a node for the pool of {0} (batchscope pool --slurm).\n"
      "same=0 last=\n"
      "while [ $same -lt {2} ]; do\n"
      "  sleep {3}\n"
      "  now=$(stat -c %Y {1})\n"
      "  if [ \"$now\" = \"$last\" ]; then same=$((same + 1)); else same=0 last=$now; fi\n"
      "done\n",
      printable(protocol::catalogue_path().string()),
      common::shellWords(Strings{run::kPool.lock_path().string()}), kLooks,
      std::max(kLeastBetween, static_cast<int>(std::ceil(wait / kLooks))));
}

// `failures`: jobs in a row that ended at once. They are remembered by Slurm alone, with the next job.
Strings holderOptions(const JobRequest& request, int failures = 0) {
  Strings options{"--job-name=" + holderName(protocol::catalogue_path().string()), "--nodes=1", "--ntasks=1",
                  "--no-requeue", "--output=/dev/null"};
  if (!request.partition.empty()) options.push_back("--partition=" + request.partition);
  // Without GPUs a node is of use for its cores, which one must ask for: by default a job has one.
  options.push_back(request.gpus_per_node > 0 ? fmt::format("--gpus-per-node={}", request.gpus_per_node)
                                              : "--exclusive");
  if (!request.time.empty()) options.push_back("--time=" + request.time);
  if (failures > 0) options.push_back(fmt::format("--comment={}", failures));
  options.insert(options.end(), request.arguments.begin(), request.arguments.end());
  return options;
}

std::vector<HolderJob> queuedHolders() {
  std::vector<HolderJob> jobs = parseHolders(told(
      "squeue", {"--noheader", "--me", "--states=all", "--sort=i", std::string("--format=") + kHolderFormat,
                 "--name=" + holderName(protocol::catalogue_path().string())}));
  // A node that is drained keeps its jobs: squeue does not tell.
  if (std::ranges::any_of(jobs, &HolderJob::runs))
    markClosed(jobs, told("sinfo", {"--noheader", "--Node", "--states=drain,fail", "--format=%N"}));
  return jobs;
}

}  // namespace

void usePoolNodes(const SlurmOptions& options, protocol::PoolSettings& settings) {
  const JobRequest request = holderRequest(options);
  Strings words{ownProgram(), "slurm-nodes", "--nodes", request.nodes.text()};
  if (!request.partition.empty()) words.push_back("--slurm=" + request.partition);
  if (request.gpus_per_node > 0) words.push_back(fmt::format("--gpus-per-node={}", request.gpus_per_node));
  if (!request.time.empty()) words.push_back("--time=" + request.time);
  for (const std::string& argument : request.arguments) words.push_back("--sbatch-arg=" + argument);
  settings.nodes_from = common::shellWords(words);
  settings.agents_by = kReachedBy;
  settings.here = false;
}

void tryPoolNodes(const SlurmOptions& options) {
  Strings arguments = holderOptions(holderRequest(options));
  arguments.insert(arguments.begin(), "--test-only");
  arguments.push_back("--wrap=" + holderScript());
  told("sbatch", arguments);
}

}  // namespace slurm

int tendSlurmNodes(const SlurmNodesOptions& options) {
  using namespace slurm;
  const JobRequest request = holderRequest(options);
  const SubmissionLock lock;
  if (!lock.held())
    throw Error(ErrorKind::conflict, say("another process of this store talks to Slurm at the moment"));
  const HolderPlan plan =
      planHolders(queuedHolders(), options.wanted, {options.empty.begin(), options.empty.end()},
                  request.nodes, storage::now());
  for (const std::string& node : plan.nodes) fmt::print("{}\n", node);
  std::fflush(stdout);
  if (!plan.cancel.empty()) call("scancel", plan.cancel);  // of one that has just ended it complains
  // The nodes that there are count whether Slurm takes another job or not.
  try {
    for (int i = 0; i < plan.submit; ++i)
      submit(holderOptions(request, plan.failures), "--wrap=" + holderScript());
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
  }
  if (!plan.note.empty()) fmt::print(stderr, "{}\n", printable(plan.note));
  return kExitOk;
}

}  // namespace batchscope::cli
