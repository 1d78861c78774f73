// SPDX-License-Identifier: Apache-2.0
//
// submit --slurm: makes the run's folder on the shared file system, writes the script of its jobs into it,
// and submits the first.
#include <fmt/core.h>

#include <cstdio>
#include <filesystem>

#include "batchscope/common/shell_words.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/run/client.h"
#include "commands/program.h"
#include "queue/queue_commands.h"
#include "slurm/job_submission.h"
#include "terminal/json_output.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;

void refuseThePoolsOptions(const SubmitOptions& options) {
  if (options.pin || options.hold || !options.after.empty() || options.priority != 0)
    throw Error(
        ErrorKind::usage,
        say("--pin, --after, --priority and --hold belong to the queue of this machine; with --slurm, Slurm "
            "decides: see --sbatch-arg"));
  if (!options.tags.empty() || !options.note.empty())
    throw Error(
        ErrorKind::usage,
        say("--tag and --note are kept in a machine's store, and this run is in none yet: set them on "
            "the machine where you follow it"));
}

}  // namespace

int submitToSlurm(const SubmitOptions& options) {
  refuseThePoolsOptions(options);
  const protocol::RunSpec spec = makeSpec(options);
  run::check_spec(spec);
  const slurm::JobRequest request = slurm::requestOf(options, spec);
  const int replicas = slurm::replicasOf(spec, !options.replicas.empty(), request);
  const std::string id = protocol::new_run_id();
  const fs::path place = slurm::folderOf(options) / id;
  if (options.print) {
    const std::string script = slurm::scriptOf(spec, request, place);
    return answer(options.json, {{"script", script}}, script.substr(0, script.size() - 1));
  }
  const slurm::JobFolder folder = slurm::makeJobFolder(spec, request, replicas, place);
  std::string job;
  try {
    job = slurm::submitJob(folder, request);
  } catch (const Error&) {
    std::error_code fault;
    fs::remove_all(place, fault);
    throw;
  }
  const auto command = [&](const char* name) {
    return common::shellWords(std::vector<std::string>{"batchscope", name, place});
  };
  answer(options.json, {{"run", id}, {"slurm_job", job}, {"folder", place.string()}},
         fmt::format(
             "{}\n  {}\n  {}\n  {}",
             say("{} ({}) is job {}; its folder is {}", spec.name, id, job, place.string()),
             say("watch it again (Ctrl-C leaves it alone): {}", command("follow")),
             say("ask it (show, rescale, stop, ..) where it trains: {} -- show latest", command("slurm-job")),
             say("end it, and its next job: scancel --name {}", slurm::jobName(id))));
  std::fflush(stdout);
  return options.detach || (options.json && !options.follow)
             ? kExitOk
             : followRecord({.place = place, .json = options.json});
}

}  // namespace batchscope::cli
