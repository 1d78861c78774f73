// SPDX-License-Identifier: Apache-2.0
//
// rescale, checkpoint, pause and stop: one request to the run's supervisor each. They return as soon as the
// supervisor has agreed; `show` and `attach` tell what came of it.
#include <fmt/core.h>

#include "batchscope/protocol/control.h"
#include "batchscope/run/client.h"
#include "commands.h"
#include "format.h"
#include "run_json.h"
#include "store.h"

namespace batchscope::cli {
namespace {

using Command = protocol::Request::Command;

// A run that nobody supervises is in a state in which nothing of this can be asked of it.
[[noreturn]] void refuseInactive(const storage::Run& run) {
  throw Error(
      ErrorKind::conflict,
      fmt::format("{} is {}, not running; {}", title(run), protocol::run_state_name(run.state),
                  protocol::is_resumable(run.state) ? "`batchscope resume " + run.id + "` starts it again"
                                                    : "`batchscope run` starts another"));
}

int ask(const RunReference& options, Command command, const std::string& agreed,
        std::optional<int> replicas = {}) {
  storage::Catalogue catalogue = openCatalogue();
  const storage::Run run = catalogue.resolve(options.run);
  if (!protocol::is_active(run.state)) refuseInactive(run);

  protocol::Request request;
  request.command = command;
  request.replicas = replicas;
  const protocol::Json result = run::request(run.id, request);
  if (options.json)
    printJson({{"run", run.id}, {"command", protocol::command_name(command)}, {"result", result}});
  else
    fmt::print("{}: {}\n", title(run), agreed);
  return kExitOk;
}

}  // namespace

int rescaleRun(const RunReference& options, int replicas) {
  return ask(options, Command::rescale, "restarting on " + plural(replicas, "replica"), replicas);
}

int checkpointRun(const RunReference& options) {
  return ask(options, Command::checkpoint, "writing a checkpoint after this step");
}

int pauseRun(const RunReference& options) {
  return ask(options, Command::pause, "checkpointing, then freeing its devices; `batchscope resume` goes on");
}

int stopRun(const RunReference& options) {
  return ask(options, Command::stop, "checkpointing, then stopping; `batchscope resume` goes on");
}

}  // namespace batchscope::cli
