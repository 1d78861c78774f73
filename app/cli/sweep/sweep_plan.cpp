// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep_plan.h"

#include <fmt/core.h>

#include "batchscope/protocol/error.h"
#include "batchscope/sweep/sweeps.h"
#include "commands/program.h"

namespace batchscope::cli {
namespace {

// Returns the spec that `batchscope run` would make of it; the pool is to choose the replicas, unless
// somebody has said how many.
protocol::RunSpec baseOf(const sweep::SweepFile& file, bool elsewhere) {
  SpecOptions options;
  options.recipe = file.recipe;
  options.program = file.program;
  options.arguments = file.arguments;
  options.replicas = file.replicas;
  if (!file.device.empty()) options.device = file.device;
  options.devices_per_replica = file.devices_per_replica;
  protocol::RunSpec spec = makeSpec(options);
  if (!elsewhere && file.replicas.empty() && !spec.auto_replicas) spec.auto_replicas.emplace();
  return spec;
}

}  // namespace

SweepPlan planSweep(const std::string& file, bool elsewhere) {
  SweepPlan plan{sweep::SweepFile::load(file), {}};
  try {
    plan.base = baseOf(plan.file, elsewhere);
    sweep::check(plan.file, plan.base, elsewhere);
  } catch (const Error& error) {
    // It is the file that is to be mended.
    const bool named = error.kind() == ErrorKind::not_found;
    throw Error(named ? ErrorKind::usage : error.kind(), fmt::format("{}: {}", file, error.what()));
  }
  return plan;
}

}  // namespace batchscope::cli
