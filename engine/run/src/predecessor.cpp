// SPDX-License-Identifier: Apache-2.0
//
// Taking over from a supervisor that is gone.
#include "predecessor.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <ranges>
#include <set>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/series.h"
#include "batchscope/storage/samples.h"

namespace batchscope::run {
namespace {

namespace fs = std::filesystem;

// Seconds since 1970; 0 where there is no such file.
double modified(const fs::path& file) {
  struct stat info {};
  if (stat(file.c_str(), &info) != 0) return 0;
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
    // Without series the generation ended when it began, for all that is known.
  }
  return {};
}

std::int64_t size_of(const protocol::Manifest& manifest) {
  std::int64_t bytes = 0;
  for (const auto& file : manifest.files) bytes += file.bytes;
  return bytes;
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
    generation.ended = std::max(generation.started, last.value);
    generation.last_step = std::max(generation.last_step, last.step);
    generation.outcome = "interrupted";
    catalogue.put_generation(run.id, generation);
  }

  const auto present = protocol::list_checkpoints(paths.checkpoints);
  adopt_checkpoints(catalogue, run.id, newest, present);
  if (present.empty()) return;  // what there should be is for the launch to see
  for (const auto& checkpoint : catalogue.checkpoints(run.id))
    if (std::none_of(present.begin(), present.end(),
                     [&](const fs::path& directory) { return directory.filename() == checkpoint.name; }))
      catalogue.remove_checkpoint(run.id, checkpoint.name);
}

void adopt_checkpoints(storage::Catalogue& catalogue, const std::string& run, int generation,
                       const std::vector<fs::path>& checkpoints) {
  std::set<std::string> known;
  for (const auto& checkpoint : catalogue.checkpoints(run)) known.insert(checkpoint.name);
  for (const fs::path& directory : std::views::reverse(checkpoints)) {  // the oldest first, as they came
    const std::string name = directory.filename().string();
    if (known.contains(name)) continue;
    protocol::Manifest manifest;
    try {
      manifest = protocol::read_manifest(directory);
    } catch (const Error&) {
      continue;  // half a checkpoint, or one that cannot be read: the replicas skip it, and say so
    }
    try {
      // The ledger is written before the checkpoint: it may be there already.
      const auto ledger = catalogue.ledger(run);
      for (const auto& entry : manifest.ledger)
        if (std::none_of(ledger.begin(), ledger.end(), [&](const storage::Ledger& there) {
              return there.generation == generation && there.entry == entry;
            }))
          catalogue.add_ledger(run, generation, entry);
      catalogue.put_checkpoint(run, {name, generation, manifest.step, manifest.epoch, manifest.progress,
                                     modified(directory), 0, size_of(manifest), manifest.reason});
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::io || error.kind() == ErrorKind::timeout) throw;
      // A checkpoint that the catalogue does not take is one that it does not list.
    }
  }
}

std::size_t stretches_known(const std::vector<storage::Ledger>& ledger,
                            const protocol::Manifest& checkpoint) {
  auto known = ledger.rend();
  if (!checkpoint.ledger.empty())
    known = std::find_if(ledger.rbegin(), ledger.rend(),
                         [&](const auto& there) { return there.entry == checkpoint.ledger.back(); });
  if (known == ledger.rend())
    known = std::find_if(ledger.rbegin(), ledger.rend(),
                         [&](const auto& there) { return there.entry.step <= checkpoint.step; });
  return static_cast<std::size_t>(ledger.rend() - known);
}

int next_generation(const std::vector<storage::Generation>& generations, const protocol::RunPaths& paths) {
  int next = 0;
  for (const auto& generation : generations) next = std::max(next, generation.number + 1);
  std::error_code none;  // no folder, no logs
  for (const auto& entry : fs::directory_iterator(paths.logs, none)) {
    int number = 0;
    if (std::sscanf(entry.path().filename().c_str(), "g%d-r", &number) == 1)
      next = std::max(next, number + 1);
  }
  return next;
}

double time_in_generations(const std::vector<storage::Generation>& generations) {
  double seconds = 0;
  for (const auto& generation : generations) seconds += std::max(0.0, generation.ended - generation.started);
  return seconds;
}

}  // namespace batchscope::run
