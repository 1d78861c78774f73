// SPDX-License-Identifier: Apache-2.0
#include "commands/fault_options.h"

#include <CLI/CLI.hpp>
#include <limits>
#include <tuple>

#include "batchscope/protocol/run_spec.h"

namespace batchscope::cli {
namespace {

constexpr char kGroup[] = "Faults";

void setTime(double& seconds, const std::string& text) {
  if (!text.empty()) seconds = protocol::parse_duration(text);
}

}  // namespace

bool FaultOptions::any() const {
  return restart_budget || max_local_batch_size ||
         !(collective_timeout + hang_timeout + rescale_timeout + checkpoint_timeout + non_finite).empty();
}

void FaultOptions::apply(protocol::RunSpec& spec) const {
  setTime(spec.time_outs.collective, collective_timeout);
  setTime(spec.time_outs.step, hang_timeout);
  setTime(spec.time_outs.rescale, rescale_timeout);
  setTime(spec.time_outs.checkpoint, checkpoint_timeout);
  spec.time_outs.check();
  spec.restart_budget = restart_budget.value_or(spec.restart_budget);
  spec.max_local_batch_size = max_local_batch_size.value_or(spec.max_local_batch_size);
  if (!non_finite.empty()) spec.non_finite = protocol::parse_non_finite(non_finite);
}

void addFaultFlags(CLI::App* command, FaultOptions& options) {
  command
      ->add_option("--restart-budget", options.restart_budget,
                   "Give the run up after this many failures without progress between them; default: 5")
      ->check(CLI::Range(0, protocol::kMostRestarts).description(""))
      ->type_name("N")
      ->group(kGroup);
  command
      ->add_option("--non-finite", options.non_finite,
                   "At a gradient of NaN or infinity: skip the step (default), stop the run, or restore the "
                   "last checkpoint")
      ->check(CLI::IsMember({"skip", "stop", "restore"}).description(""))
      ->type_name("POLICY")
      ->group(kGroup);
  command
      ->add_option(
          "--max-local-batch-size", options.max_local_batch_size,
          "Compute at most this many samples at a time on a replica, or fewer where memory runs out; "
          "default: the bound that earlier runs of the program found")
      ->check(CLI::Range(1, std::numeric_limits<int>::max()).description(""))
      ->type_name("N")
      ->group(kGroup);
  const std::tuple<const char*, std::string&, const char*> times[] = {
      {"--collective-timeout", options.collective_timeout,
       "Let a replica wait this long for the others; default: 30s"},
      {"--hang-timeout", options.hang_timeout,
       "Restart a run that makes no progress for this long; default: 45s; 0: never"},
      {"--rescale-timeout", options.rescale_timeout,
       "Restore the old number of replicas if a restart takes its first step later than this; default: 60s"},
      {"--checkpoint-timeout", options.checkpoint_timeout,
       "Go back to the checkpoint before if a stop takes longer than this to write one; default: 120s"}};
  for (const auto& [flag, text, description] : times)
    command->add_option(flag, text, description)->type_name("TIME")->group(kGroup);
}

}  // namespace batchscope::cli
