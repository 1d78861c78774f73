// SPDX-License-Identifier: Apache-2.0
#include "slurm/job_submission.h"

#include <fmt/core.h>

#include <QCoreApplication>
#include <QTemporaryFile>
#include <algorithm>
#include <fstream>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/private_files.h"
#include "batchscope/storage/catalogue.h"
#include "slurm/programs.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli::slurm {
namespace {

namespace fs = std::filesystem;

constexpr char kFolder[] = "batchscope-runs";

void writeScript(const fs::path& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  out.close();
  std::error_code fault;
  if (out) fs::permissions(file, fs::perms::owner_all, fault);
  if (!out || fault)
    throw Error(ErrorKind::io, say("cannot write {}: check the disk and its permissions", file.string()));
}

}  // namespace

JobRequest requestOf(const SlurmOptions& options, const protocol::RunSpec& spec) {
  JobRequest request;
  if (options.partition != SlurmOptions::kSitesDefault) request.partition = options.partition;
  if (!options.nodes.empty()) request.nodes = NodeRange::parse(options.nodes);
  request.gpus_per_node = options.gpusPerNode.value_or(0);
  request.replicas_per_node = options.replicasPerNode.value_or(0);
  request.time = options.time;
  request.arguments = options.sbatchArguments;
  const int of_each = spec.devices_of_each();
  if (request.gpus_per_node == 0 || of_each == 1) return request;
  if (of_each * std::max(1, request.replicas_per_node) > request.gpus_per_node)
    throw Error(
        ErrorKind::usage,
        say("--gpus-per-node {} is too few for {} with {} GPUs each: ask for more of them, or for "
            "fewer replicas on a node",
            request.gpus_per_node, plural(std::max(1, request.replicas_per_node), "replica"), of_each));
  if (request.replicas_per_node == 0) request.replicas_per_node = request.gpus_per_node / of_each;
  return request;
}

void refuseWithoutSlurm(const SlurmOptions& options) {
  if (!options.nodes.empty() || options.gpusPerNode || options.replicasPerNode || !options.time.empty() ||
      !options.sbatchArguments.empty() || !options.folder.empty() || options.print)
    throw Error(ErrorKind::usage, say("--nodes, --gpus-per-node, --replicas-per-node, --time, --sbatch-arg, "
                                      "--folder and --print say how Slurm is to start the run; add --slurm"));
}

fs::path folderOf(const SlurmOptions& options) {
  return fs::absolute(options.folder.empty() ? kFolder : options.folder).lexically_normal();
}

int replicasOf(const protocol::RunSpec& spec, bool said, const JobRequest& request) {
  if (!said || spec.auto_replicas) return 0;
  const int room = request.nodes.most * request.replicasPerNode();
  if (spec.replicas > room)
    throw Error(
        ErrorKind::usage,
        say("--replicas {}: {} nodes with {} replicas on each have room for {}; ask for more --nodes or "
            "--replicas-per-node",
            spec.replicas, request.nodes.most, request.replicasPerNode(), room));
  return spec.replicas;
}

fs::path ownProgram() {
  return fs::path(QCoreApplication::applicationDirPath().toStdString()) / "batchscope";
}

std::vector<std::string> controlOf(const fs::path& place, const fs::path& program) {
  return {program, "slurm-job", place, "--"};
}

std::string scriptOf(const protocol::RunSpec& spec, const JobRequest& request, const fs::path& place) {
  return jobScript(request, place, ownProgram(),
                   fmt::format("{} ({})", spec.name, place.filename().string()));
}

void tryScript(const std::string& script) {
  QTemporaryFile file;
  if (!file.open() || file.write(script.c_str()) < 0 || !file.flush())
    throw Error(ErrorKind::io, say("cannot write {}", file.fileName().toStdString()));
  told("sbatch", {"--test-only", file.fileName().toStdString()});
}

JobFolder makeJobFolder(const protocol::RunSpec& spec, const JobRequest& request, int replicas,
                        const fs::path& place) {
  const std::string script = scriptOf(spec, request, place);
  protocol::make_private_directories(place);
  try {
    const JobFolder folder(place);
    storage::keep_spec(place, spec);
    writeScript(folder.script(), script);
    if (replicas > 0) folder.want({.number = replicas, .automatic = std::nullopt});
    return folder;
  } catch (const Error&) {
    std::error_code fault;
    fs::remove_all(place, fault);
    throw;
  }
}

std::string submitJob(const JobFolder& folder, const JobRequest& request) {
  return submit({"--nodes=" + folder.nextNodes(request.replicasPerNode(), request.nodes).text()},
                folder.script());
}

}  // namespace batchscope::cli::slurm
