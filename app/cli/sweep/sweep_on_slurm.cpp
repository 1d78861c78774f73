// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep_on_slurm.h"

#include <algorithm>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/sweep/sweeps.h"
#include "slurm/job_submission.h"
#include "slurm/trial_place.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

constexpr int kUsualJobs = 4;

int widthOf(const RunSweepOptions& options, int seeds) {
  if (options.width > 0)
    throw Error(ErrorKind::usage,
                say("--width counts trials on this machine's devices; with --slurm say --jobs"));
  if (options.jobs.value_or(seeds) < seeds)
    throw Error(ErrorKind::usage, say("--jobs {}: a trial has {} runs at once, one for each of its "
                                      "seeds; allow as many jobs, or lower `seeds`",
                                      *options.jobs, seeds));
  return std::max(1, options.jobs.value_or(kUsualJobs) / seeds);
}

}  // namespace

SweepOnSlurm sweepOnSlurm(const RunSweepOptions& options, const SweepPlan& plan) {
  if (options.partition.empty()) {
    if (options.jobs) throw Error(ErrorKind::usage, say("--jobs caps the jobs of Slurm; add --slurm"));
    slurm::refuseWithoutSlurm(options);
    return {};
  }
  const slurm::TrialPlace place{.request = slurm::requestOf(options, plan.base),
                                .folder = slurm::folderOf(options),
                                .fixed_replicas = !plan.file.replicas.empty()};
  slurm::replicasOf(plan.base, place.fixed_replicas, place.request);  // is there room
  const std::string run = protocol::new_run_id();
  if (protocol::run_paths(run).root == place.folder / run)
    throw Error(ErrorKind::usage,
                say("--folder {}: this machine's store keeps its own run folders there; name another folder",
                    place.folder.string()));
  const auto spec = sweep::trial_spec(plan.file, plan.base, 0, {}, 0);
  return {.width = widthOf(options, plan.file.seeds),
          .workplace = place.text(),
          .script = slurm::scriptOf(spec, place.request, place.folder / run)};
}

}  // namespace batchscope::cli
