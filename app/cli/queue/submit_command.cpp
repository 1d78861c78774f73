// SPDX-License-Identifier: Apache-2.0
//
// submit: puts a run into the queue of the pool, which starts the run when its turn has come, or into Slurm's
// queue.
#include <fmt/core.h>

#include "batchscope/common/queue_json.h"
#include "batchscope/protocol/error.h"
#include "commands/program.h"
#include "queue/queue_commands.h"
#include "records/job_records.h"
#include "records/store.h"
#include "slurm/job_submission.h"
#include "terminal/json_output.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

// Lets the pool choose the number of replicas, unless a number was given.
protocol::RunSpec specOf(const SubmitOptions& options) {
  protocol::RunSpec spec = makeSpec(options);
  if (options.replicas.empty() && !options.pin && !spec.auto_replicas) spec.auto_replicas.emplace();
  return spec;
}

}  // namespace

int submitRun(const SubmitOptions& options) {
  if (!options.partition.empty()) return submitToSlurm(options);
  slurm::refuseWithoutSlurm(options);
  const protocol::RunSpec spec = specOf(options);
  storage::Catalogue catalogue = openCatalogue();
  pool::JobOptions job;
  job.pin = options.pin;
  job.priority = options.priority;
  job.held = options.hold;
  if (!options.after.empty()) {
    const auto [run, end] = common::parseAfter(options.after);
    job.after = catalogue.resolve(run).id;
    job.after_end = end;
  }
  const std::string id = pool::submit(catalogue, spec, job);
  annotate(catalogue, id, options);
  const storage::Run run = catalogue.run(id).value();
  const auto placed = common::placedJob(catalogue, run);
  answer(options.json, {{"run", id}, {"job", placed ? common::jobJson(*placed) : protocol::Json()}},
         fmt::format("{} {}", title(run), placed ? common::placeText(*placed) : say("is in the queue")));
  return options.follow ? attachToRun({{id, options.json}}) : kExitOk;
}

}  // namespace batchscope::cli
