// SPDX-License-Identifier: Apache-2.0
//
// submit --slurm: makes the run's folder on the shared file system, writes the script of its jobs into it,
// and submits the first.
#include <fmt/core.h>

#include <QCoreApplication>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "batchscope/common/shell_words.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/private_files.h"
#include "batchscope/run/client.h"
#include "batchscope/storage/catalogue.h"
#include "commands/program.h"
#include "queue/queue_commands.h"
#include "records/run_json.h"
#include "slurm/job_folder.h"
#include "slurm/programs.h"

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kFolder[] = "batchscope-runs";

void refuseThePoolsOptions(const SubmitOptions& options) {
  if (options.pin || options.hold || options.follow || !options.after.empty() || options.priority != 0)
    throw Error(
        ErrorKind::usage,
        "--pin, --after, --priority, --hold and --follow belong to the queue of this machine; with --slurm, "
        "Slurm decides: see --sbatch-arg");
  if (!options.tags.empty() || !options.note.empty())
    throw Error(
        ErrorKind::usage,
        "--tag and --note are kept in the store of a machine, and a run on Slurm has none yet: set them "
        "where you follow it");
}

slurm::JobRequest requestOf(const SubmitOptions& options) {
  slurm::JobRequest request;
  if (options.partition != SubmitOptions::kSitesDefault) request.partition = options.partition;
  if (!options.nodes.empty()) request.nodes = slurm::NodeRange::parse(options.nodes);
  request.gpus_per_node = options.gpusPerNode.value_or(0);
  request.replicas_per_node = options.replicasPerNode.value_or(0);
  request.time = options.time;
  request.arguments = options.sbatchArguments;
  return request;
}

// Of the first job, where a number was said.
int wantedReplicas(const SubmitOptions& options, const protocol::RunSpec& spec,
                   const slurm::JobRequest& request) {
  if (options.replicas.empty() || spec.auto_replicas) return 0;
  const int room = request.nodes.most * request.replicasPerNode();
  if (spec.replicas > room)
    throw Error(
        ErrorKind::usage,
        fmt::format(
            "--replicas {}: {} nodes with {} replicas on each have room for {}; ask for more --nodes or "
            "--replicas-per-node",
            spec.replicas, request.nodes.most, request.replicasPerNode(), room));
  return spec.replicas;
}

void writeScript(const fs::path& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  out.close();
  std::error_code fault;
  if (out) fs::permissions(file, fs::perms::owner_all, fault);
  if (!out || fault)
    throw Error(ErrorKind::io,
                fmt::format("cannot write {}: check the disk and its permissions", file.string()));
}

}  // namespace

int submitToSlurm(const SubmitOptions& options) {
  refuseThePoolsOptions(options);
  const protocol::RunSpec spec = makeSpec(options);
  run::check_spec(spec);
  const slurm::JobRequest request = requestOf(options);
  const int wanted = wantedReplicas(options, spec, request);
  const std::string id = protocol::new_run_id();
  const fs::path place = fs::absolute(options.folder.empty() ? kFolder : options.folder) / id;
  const std::string script =
      slurm::jobScript(request, place, QCoreApplication::applicationFilePath().toStdString(),
                       fmt::format("{} ({})", spec.name, id));
  if (options.print) return answer(options.json, {{"script", script}}, script.substr(0, script.size() - 1));

  protocol::make_private_directories(place);
  std::string job;
  try {
    const slurm::JobFolder folder(place);
    storage::keep_spec(place, spec);
    writeScript(folder.script(), script);
    if (wanted > 0) folder.want(wanted);
    job =
        slurm::submit({"--nodes=" + slurm::nodesFor(wanted, request.replicasPerNode(), request.nodes).text()},
                      folder.script());
  } catch (const Error&) {
    std::error_code fault;
    fs::remove_all(place, fault);
    throw;
  }
  return answer(options.json, {{"run", id}, {"slurm_job", job}, {"folder", place.string()}},
                fmt::format("{} ({}) is job {}; its folder is {}\n"
                            "  squeue --name {}        whether it waits, and why\n"
                            "  {} -- show latest        when it trains; also rescale, stop, ..\n"
                            "  scancel --name {}       ends it; the next job, too",
                            spec.name, id, job, place.string(), slurm::jobName(id),
                            common::shellWords(std::vector<std::string>{"batchscope", "slurm-job", place}),
                            slurm::jobName(id)));
}

}  // namespace batchscope::cli
