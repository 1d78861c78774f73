// SPDX-License-Identifier: Apache-2.0
//
// cancel, hold, release and priority: the commands for runs in the queue.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "batchscope/common/cluster_text.h"
#include "batchscope/common/queue_json.h"
#include "commands/elsewhere.h"
#include "queue/queue_commands.h"
#include "records/job_records.h"
#include "records/partly_done.h"
#include "records/store.h"
#include "terminal/json_output.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using pool::JobState;
using Deed = void (*)(storage::Catalogue&, const std::string& id);

// Finds all runs before it changes anything. A run that refuses does not stop the others. For a run that is
// followed, the machine where it trains reports the outcome of `command`.
int doToAll(const JobsReference& options, const char* command, Deed deed, const char* done,
            std::string (*told)(const storage::Run&, JobState before, bool withoutCheckpoint)) {
  storage::Catalogue catalogue = openCatalogue();
  std::vector<storage::Run> runs;
  for (const std::string& text : options.runs) runs.push_back(catalogue.resolve(text));
  std::vector<std::string> ids, refusals;
  std::optional<ErrorKind> kind;  // of the first
  int code = kExitOk;             // the worst of those that were handed on
  std::size_t handedOn = 0;
  for (const storage::Run& run : runs) {
    std::optional<storage::Job> job;
    bool withoutCheckpoint = false;
    try {
      if (const auto answered = handOn(command, {run.id, options.json})) {
        code = std::max(code, *answered);
        ++handedOn;
        continue;
      }
      job = catalogue.job(run.id);
      withoutCheckpoint = reportsNoCheckpoints(run);
      deed(catalogue, run.id);
    } catch (const Error& error) {
      kind = kind.value_or(error.kind());
      refusals.emplace_back(error.what());
      continue;
    }
    ids.push_back(run.id);
    // A run that was held a moment ago is still on its way to a pause.
    const JobState before = job->held ? JobState::held : pool::job_state(run, *job);
    if (!options.json) fmt::print("{}: {}\n", title(run), told(run, before, withoutCheckpoint));
  }
  const protocol::Json all = {{done, ids}};
  if (kind) throw PartlyDone(*kind, fmt::format("{}", fmt::join(refusals, "\n")), all);
  if (options.json && handedOn < runs.size()) printJson(all);
  return code;
}

}  // namespace

int cancelRuns(const JobsReference& options) {
  return doToAll(options, "cancel", pool::cancel, "cancelled",
                 [](const storage::Run& run, JobState, bool withoutCheckpoint) {
                   return isHeld(run) ? stopText(run, withoutCheckpoint) : say("taken out of the queue");
                 });
}

int holdRuns(const JobsReference& options) {
  return doToAll(
      options, "hold", pool::hold, "held", [](const storage::Run&, JobState before, bool withoutCheckpoint) {
        if (withoutCheckpoint)
          return say(
              "keeps its devices until it ends, as its program reports no checkpoints; `batchscope "
              "stop` ends it now");
        if (before == JobState::starting || before == JobState::running)
          return say("checkpointing, then freeing its devices; `batchscope release` lets it go on");
        return say("held; `batchscope release` lets it go on");
      });
}

int releaseRuns(const JobsReference& options) {
  return doToAll(options, "release", pool::release, "released",
                 [](const storage::Run&, JobState before, bool) {
                   if (before == JobState::held)
                     return say("released; `batchscope queue` says when its turn comes");
                   if (before == JobState::pending || before == JobState::paused)
                     return say("it was not held; `batchscope queue` says why it waits");
                   return say("it was not held, and goes on");
                 });
}

int setPriority(const PriorityOptions& options) {
  storage::Catalogue catalogue = openCatalogue();
  const storage::Run run = catalogue.resolve(options.run);
  if (const auto origin = elsewhere(run.id))
    throw Error(ErrorKind::conflict,
                say("{} is in the queue of {}, which keeps its own order; to let other jobs go "
                    "first, call there: scontrol update JobId={} Nice=100",
                    title(run), common::clusterName(*origin),
                    origin->job && !origin->job->number.empty() ? origin->job->number : say("NUMBER")));
  pool::prioritise(catalogue, run.id, options.priority);
  const auto placed = common::placedJob(catalogue, run);
  return answer(
      options.json, {{"run", run.id}, {"job", placed ? common::jobJson(*placed) : protocol::Json()}},
      placed ? say("{} has priority {}, and {}", title(run), options.priority, common::placeText(*placed))
             : say("{} has priority {}", title(run), options.priority));
}

}  // namespace batchscope::cli
