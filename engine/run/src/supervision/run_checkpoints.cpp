// SPDX-License-Identifier: Apache-2.0
#include "supervision/run_checkpoints.h"

#include <fmt/format.h>

#include <optional>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/manifest.h"
#include "batchscope/protocol/series.h"
#include "batchscope/run/own_snapshot.h"
#include "batchscope/storage/samples.h"
#include "log/memory_fault.h"

namespace batchscope::run {

namespace series = protocol::series;

RunCheckpoints::RunCheckpoints(const protocol::RunPaths& paths) : paths_(paths), in_memory_(paths) {}

void RunCheckpoints::require_any(storage::Catalogue& catalogue, const std::string& run) const {
  if (!protocol::list_checkpoints(paths_.checkpoints).empty()) return;
  for (const auto& checkpoint : catalogue.checkpoints(run))
    if (!in_memory_.lost().contains(checkpoint.name))
      throw Error(
          ErrorKind::not_found,
          fmt::format("{} and all other checkpoints of the run are gone from {}: put them back and resume, "
                      "or start a new run",
                      checkpoint.name, paths_.checkpoints.string()));
}

bool RunCheckpoints::pass_over(const protocol::Failure& failure) {
  if (failure.kind != "checkpoint" || failure.checkpoint.empty() || tells_of_memory(failure.text))
    return false;
  constexpr std::size_t kLongest = 300;  // as all of them go into one variable of the environment
  return unloadable_.emplace(failure.checkpoint, "it cannot be loaded: " + failure.text.substr(0, kLongest))
      .second;
}

std::string RunCheckpoints::restart_point(const RunBoard& board, int generation, bool makes_checkpoints) const
    try {
  const auto checkpoints = protocol::list_checkpoints(paths_.checkpoints);
  for (const auto& directory : checkpoints) {
    const std::string name = directory.filename().string();
    if (unloadable_.contains(name)) continue;
    try {
      const std::int64_t step = protocol::read_manifest(directory, paths_.memory).step;
      return fmt::format("{} (step {}){}", name, step, repeated_from(step, board, generation));
    } catch (const Error&) {
      // The replicas will skip it too.
    }
  }
  if (!checkpoints.empty()) return "its checkpoints, though none of them is good";
  if (const auto snapshot = own_snapshot(paths_.share))
    return fmt::format("the program's own snapshot {} (step {}), if the program loads it{}",
                       snapshot->file.string(), snapshot->step,
                       repeated_from(snapshot->step, board, generation));
  if (!makes_checkpoints && board.step() > 0)
    return "wherever the program begins by itself, as it has no checkpoint here";
  return "the beginning, as there is no checkpoint yet" + repeated_from(0, board, generation);
} catch (const Error& error) {
  return std::string("an unknown checkpoint (") + error.what() + ")";
}

// ", so that 23 steps with 736 samples are repeated", where that is known.
std::string RunCheckpoints::repeated_from(std::int64_t step, const RunBoard& board, int generation) const {
  const std::int64_t steps = board.step() - step;
  if (steps <= 0) return {};
  const std::string clause = fmt::format(", so that {} {}", steps, steps == 1 ? "step" : "steps");
  const auto now = board.latest().find(series::kSamples);
  std::optional<double> then;
  if (step == 0) then = 0;
  try {
    storage::SampleReader reader(paths_.samples);
    for (; !then && generation >= 0; --generation)
      if (const auto found = reader.read(series::kSamples, generation, step, step); !found.empty())
        then = found.front().value;
  } catch (const Error&) {
    // Series that cannot be read hold up no restart.
  }
  const char* const repeated = steps == 1 ? "is repeated" : "are repeated";
  if (now == board.latest().end() || !then || !(now->second > *then)) return clause + " " + repeated;
  return fmt::format("{} with {} samples {}", clause, whole(now->second - *then), repeated);
}

}  // namespace batchscope::run
