// SPDX-License-Identifier: Apache-2.0
//
// Forking a run. A replica that starts loads the newest checkpoint in its run's folder, whoever wrote it: a
// fork is a new run with another one's checkpoint laid there before it starts.
#include <fmt/format.h>
#include <algorithm>
#include <charconv>

#include "batchscope/protocol/branch.h"
#include "batchscope/protocol/checkpoint_folder.h"
#include "batchscope/protocol/checkpoint_writer.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/manifest.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/run/fork.h"
#include "batchscope/storage/origins.h"
#include "client/fork.h"
#include "client/start.h"

namespace batchscope::run {
namespace {

namespace fs = std::filesystem;

std::string directory_name(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size() || number < 0) return text;
  return protocol::checkpoint_name(number);
}

std::string listed(const std::vector<fs::path>& checkpoints) {
  std::string text;
  for (const fs::path& checkpoint : checkpoints)
    text += (text.empty() ? "" : ", ") + checkpoint.filename().string();
  return text;
}

// A checkpoint in memory has no checksums yet; the copy has.
void copy(const fs::path& from, const fs::path& memory, const fs::path& folder, protocol::Manifest manifest,
          bool pinned) {
  const protocol::CheckpointFolder original(from, memory);
  manifest.pinned = pinned;
  manifest.generation = -1;
  manifest.ledger.clear();  // of another run
  manifest.ledger_from = 0;
  protocol::write_checkpoint(folder / from.filename(), manifest, [&](const fs::path& partial) {
    protocol::copy_states(original, partial, manifest);
  });
  protocol::fsync_path(folder);
}

}  // namespace

int last_replicas(storage::Catalogue& catalogue, const storage::Run& run) {
  const auto generations = catalogue.generations(run.id);
  return generations.empty() ? run.spec.replicas : generations.back().replicas;
}

fs::path find_checkpoint(const std::string& id, const std::string& text) {
  const protocol::RunPaths paths = protocol::run_paths(id);
  const fs::path& folder = paths.checkpoints;
  const std::vector<fs::path> present = protocol::list_checkpoints(folder);
  if (text.empty()) {
    if (const auto newest = protocol::newest_good_checkpoint(folder, nullptr, paths.memory)) return *newest;
    throw Error(ErrorKind::not_found, "run " + id + " has no good checkpoint in " + folder.string());
  }
  const std::string name = directory_name(text);
  const auto found = std::find_if(present.begin(), present.end(),
                                  [&](const fs::path& checkpoint) { return checkpoint.filename() == name; });
  if (found == present.end())
    throw Error(ErrorKind::not_found, "run " + id + " has no checkpoint \"" + text + "\"; there " +
                                          (present.empty() ? "are none" : "are " + listed(present)));
  protocol::verify_checkpoint(*found, paths.memory);
  return *found;
}

void refuse_followed(const std::string& id) {
  const auto origin = storage::Origins(protocol::catalogue_path()).find(id);
  if (origin && origin->followed)
    throw Error(ErrorKind::conflict,
                fmt::format("run {} is only followed here, and its checkpoints are in {}. To fork it, wait "
                            "until it has ended, then call `batchscope import --run-folder` with that folder "
                            "on a machine that sees the folder",
                            id, storage::place_of(*origin)));
}

LaidCheckpoint copy_checkpoint(const std::string& run, const std::string& checkpoint,
                               const fs::path& folder) {
  const fs::path found = find_checkpoint(run, checkpoint);
  const fs::path memory = protocol::run_paths(run).memory;
  const protocol::Manifest manifest = protocol::read_manifest(found, memory);
  fs::create_directories(folder);
  copy(found, memory, folder, manifest, false);
  return {found.filename().string(), manifest.step};
}

std::int64_t lay_checkpoint(const std::string& from, const std::string& checkpoint, const std::string& to) {
  protocol::make_run_directories(protocol::run_paths(to));
  return copy_checkpoint(from, checkpoint, protocol::run_paths(to).checkpoints).step;
}

std::string fork_run(storage::Catalogue& catalogue, const std::string& id, const ForkOptions& options) {
  const auto origin = catalogue.run(id);
  if (!origin) throw Error(ErrorKind::not_found, "there is no run " + id);
  storage::require_sound(*origin);
  refuse_followed(id);
  const fs::path checkpoint = find_checkpoint(id, options.checkpoint);
  const fs::path memory = protocol::run_paths(id).memory;
  const protocol::Manifest manifest = protocol::read_manifest(checkpoint, memory);
  protocol::RunSpec spec = origin->spec;
  spec.name = options.name.empty() ? origin->name + " fork" : options.name;
  spec.replicas = options.replicas > 0 ? options.replicas : last_replicas(catalogue, *origin);
  if (options.arguments) spec.arguments = *options.arguments;
  spec.triggers.clear();
  spec.environment.erase(protocol::variable::kBranch);
  return start_run(catalogue, spec, [&](const std::string& fork) {
    copy(checkpoint, memory, protocol::run_paths(fork).checkpoints, manifest, true);
    catalogue.add_event(fork, 0, manifest.step, "info",
                        fmt::format("Forked from {} ({}), {} after step {}.", origin->name, id,
                                    checkpoint.filename().string(), manifest.step));
  });
}

}  // namespace batchscope::run
