// SPDX-License-Identifier: Apache-2.0
//
// fork: a new run that begins at another one's checkpoint.
#include "batchscope/run/fork.h"
#include "commands/attach_commands.h"
#include "commands/commands.h"
#include "records/store.h"

namespace batchscope::cli {

int forkRun(const ForkOptions& options) {
  storage::Catalogue catalogue = openCatalogue();
  const storage::Run origin = catalogue.resolve(options.run);
  run::ForkOptions fork{options.checkpoint, options.name, options.replicas, {}};
  if (!options.arguments.empty()) fork.arguments = options.arguments;
  Interrupts interrupts;
  const std::string id = run::fork_run(catalogue, origin.id, fork);
  if (options.detach)
    return printStarted(awaitBeginning(catalogue, id, interrupts), {{"run", id}, {"forked_from", origin.id}},
                        options.json);
  AttachOptions attach;
  attach.quiet = options.quiet || options.json;
  const Outcome outcome = followRun(catalogue, id, attach, interrupts, options.json);
  printEnd(outcome, {}, options.json);
  return exitCodeOf(outcome, {});
}

}  // namespace batchscope::cli
