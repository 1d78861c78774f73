// SPDX-License-Identifier: Apache-2.0
#include "commands/fault_options.h"

#include <CLI/CLI.hpp>
#include <limits>
#include <tuple>

#include "batchscope/protocol/run_spec.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

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

void addFaultFlags(CLI::App* command, FaultOptions& options, const CLI::Validator& time) {
  const std::string group = say("Faults");
  command
      ->add_option("--restart-budget", options.restart_budget,
                   say("Give the run up after this many failures without progress between them; default: 5"))
      ->check(CLI::Range(0, protocol::kMostRestarts).description(""))
      ->type_name("N")
      ->group(group);
  command
      ->add_option(
          "--non-finite", options.non_finite,
          say("At a gradient of NaN or infinity: skip the step (default), stop the run, or restore the "
              "last checkpoint"))
      ->check(CLI::IsMember({"skip", "stop", "restore"}).description(""))
      ->type_name("POLICY")
      ->group(group);
  command
      ->add_option(
          "--max-local-batch-size", options.max_local_batch_size,
          say("Compute at most this many samples at a time on a replica, or fewer where memory runs out; "
              "default: the bound that earlier runs of the program found"))
      ->check(CLI::Range(1, std::numeric_limits<int>::max()).description(""))
      ->type_name("N")
      ->group(group);
  const std::tuple<const char*, std::string&, std::string> times[] = {
      {"--collective-timeout", options.collective_timeout,
       say("Let a replica wait this long for the others; default: 30s")},
      {"--hang-timeout", options.hang_timeout,
       say("Restart a run that makes no progress for this long; default: 45s; 0: never")},
      {"--rescale-timeout", options.rescale_timeout,
       say("Restore the old number of replicas if a restart takes its first step later than this; default: "
           "60s")},
      {"--checkpoint-timeout", options.checkpoint_timeout,
       say("Go back to the checkpoint before if a stop takes longer than this to write one; default: 120s")}};
  for (const auto& [flag, text, description] : times)
    command->add_option(flag, text, description)->check(time)->type_name("TIME")->group(group);
}

}  // namespace batchscope::cli
