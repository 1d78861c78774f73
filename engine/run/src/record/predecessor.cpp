// SPDX-License-Identifier: Apache-2.0
#include "record/predecessor.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/series.h"
#include "batchscope/storage/record_fields.h"
#include "batchscope/storage/samples.h"
#include "record/checkpoint_ledger.h"

namespace batchscope::run {
namespace {

namespace fs = std::filesystem;

// Seconds since 1970; 0 where there is no such file.
double modified(const fs::path& file) {
  struct stat info {};
  stat(file.c_str(), &info);
  return static_cast<double>(info.st_mtim.tv_sec) + 1e-9 * static_cast<double>(info.st_mtim.tv_nsec);
}

// The newest step of a generation and its wall time, which the series tell: they were the last thing its
// supervisor wrote. The catalogue's step is at most a second behind and spares reading all of them.
storage::Sample last_time(const protocol::RunPaths& paths, int generation, std::int64_t step) {
  try {
    storage::SampleReader reader(paths.samples);
    auto times = reader.read(protocol::series::kTime, generation, step);
    if (times.empty()) times = reader.read(protocol::series::kTime, generation);
    if (!times.empty()) return times.back();
  } catch (const Error&) {
    // A generation without series ended when it began, for all that is known.
  }
  return {};
}

std::int64_t size_of(const protocol::Manifest& manifest) {
  std::int64_t bytes = 0;
  for (const auto& file : manifest.files) bytes += file.bytes;
  return bytes;
}

// Half a checkpoint and one that cannot be read are passed over: the replicas skip them, and say so.
std::optional<protocol::Manifest> readable(const fs::path& checkpoint, const fs::path& memory) {
  try {
    return protocol::read_manifest(checkpoint, memory);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Whether what is listed is this checkpoint, and not one that had its name before.
bool is_of(const protocol::Manifest& manifest, const storage::Checkpoint& listed) {
  return manifest.step == listed.step && manifest.epoch == listed.epoch && manifest.reason == listed.reason &&
         size_of(manifest) == listed.bytes &&
         (manifest.generation < 0 || manifest.generation == listed.generation);
}

}  // namespace

std::vector<ProcessId> leftover_replicas(const protocol::RunPaths& paths) {
  std::vector<ProcessId> replicas = read_replicas(paths.root / "replicas.json");
  std::erase_if(replicas, [](const ProcessId& replica) { return !is_alive(replica); });
  return replicas;
}

void reconcile(storage::Catalogue& catalogue, const storage::Run& run, const protocol::RunPaths& paths) {
  int newest = 0;
  for (storage::Generation generation : catalogue.generations(run.id)) {
    newest = std::max(newest, generation.number);
    if (generation.ended != 0) continue;
    const storage::Sample last = last_time(paths, generation.number, run.step);
    generation.ended = std::max(generation.started, storage::known_time(last.value));
    generation.last_step = std::max(generation.last_step, last.step);
    generation.outcome = "interrupted";
    catalogue.put_generation(run.id, generation);
  }

  const auto present = protocol::list_checkpoints(paths.checkpoints);
  adopt_checkpoints(catalogue, run.id, newest, present, paths.memory);
  if (present.empty()) return;  // what there should be is for the launch to see
  for (const auto& checkpoint : catalogue.checkpoints(run.id))
    if (std::none_of(present.begin(), present.end(),
                     [&](const fs::path& directory) { return directory.filename() == checkpoint.name; }))
      catalogue.remove_checkpoint(run.id, checkpoint.name);
  // Steps behind the newest are done again, unless that one turns out to be damaged.
  for (const fs::path& directory : present)
    if (const auto manifest = readable(directory, paths.memory)) {
      catalogue.set_ledger(run.id, ledger_at(*manifest, catalogue.ledger(run.id)));
      break;
    }
}

void adopt_checkpoints(storage::Catalogue& catalogue, const std::string& run, int generation,
                       const std::vector<fs::path>& checkpoints, const fs::path& memory) {
  std::map<std::string, storage::Checkpoint> known;
  for (const auto& checkpoint : catalogue.checkpoints(run)) known[checkpoint.name] = checkpoint;
  protocol::Ledger ledger = catalogue.ledger(run);
  for (const fs::path& directory : std::views::reverse(checkpoints)) {  // the oldest first, as they came
    const auto manifest = readable(directory, memory);
    if (!manifest) continue;
    const auto listed = known.find(directory.filename().string());
    const bool is_new = listed == known.end() || !is_of(*manifest, listed->second);
    // Version 1 does not say who wrote it: it is taken to be whoever ran last, where nobody knew of it.
    if (manifest->generation == generation || (manifest->generation < 0 && is_new))
      ledger = ledger_since(*manifest, ledger, generation);
    if (is_new)
      catalogue.put_checkpoint(
          run, {directory.filename().string(), manifest->generation < 0 ? generation : manifest->generation,
                manifest->step, manifest->epoch, manifest->progress, modified(directory), 0,
                size_of(*manifest), manifest->reason});
  }
  catalogue.set_ledger(run, ledger);
}

int next_generation(const std::vector<storage::Generation>& generations, const protocol::RunPaths& paths) {
  int next = 0;
  for (const auto& generation : generations) next = std::max(next, generation.number + 1);
  std::error_code none;  // no folder, no logs
  for (const auto& entry : fs::directory_iterator(paths.logs, none)) {
    if (const auto log = protocol::parse_log_name(entry.path().filename().native()))
      next = std::max(next, log->generation + 1);
  }
  return next;
}

double time_in_generations(const std::vector<storage::Generation>& generations) {
  double seconds = 0;
  for (const auto& generation : generations) seconds += std::max(0.0, generation.ended - generation.started);
  return seconds;
}

}  // namespace batchscope::run
