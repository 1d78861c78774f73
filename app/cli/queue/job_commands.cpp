// SPDX-License-Identifier: Apache-2.0
//
// cancel, hold, release and priority: what a person may say of runs that are in the queue.
#include <fmt/format.h>

#include <optional>

#include "batchscope/common/queue_json.h"
#include "queue/queue_commands.h"
#include "records/job_records.h"
#include "records/partly_done.h"
#include "records/store.h"
#include "terminal/json_output.h"

namespace batchscope::cli {
namespace {

using Deed = void (*)(storage::Catalogue&, const std::string& id);

// All of them are found before anything is done, and one that refuses keeps no other from having it done.
int doToAll(const JobsReference& options, Deed deed, const char* done,
            const char* (*told)(const storage::Run&)) {
  storage::Catalogue catalogue = openCatalogue();
  std::vector<storage::Run> runs;
  for (const std::string& text : options.runs) runs.push_back(catalogue.resolve(text));
  std::vector<std::string> ids, refusals;
  std::optional<ErrorKind> kind;  // of the first
  for (const storage::Run& run : runs) {
    try {
      deed(catalogue, run.id);
    } catch (const Error& error) {
      kind = kind.value_or(error.kind());
      refusals.emplace_back(error.what());
      continue;
    }
    ids.push_back(run.id);
    if (!options.json) fmt::print("{}: {}\n", title(run), told(run));
  }
  const protocol::Json all = {{done, ids}};
  if (kind) throw PartlyDone(*kind, fmt::format("{}", fmt::join(refusals, "\n")), all);
  if (options.json) printJson(all);
  return kExitOk;
}

}  // namespace

int cancelRuns(const JobsReference& options) {
  return doToAll(options, pool::cancel, "cancelled", [](const storage::Run& run) {
    return isHeld(run) ? "checkpointing, then stopping; `batchscope resume` goes on"
                       : "taken out of the queue";
  });
}

int holdRuns(const JobsReference& options) {
  return doToAll(options, pool::hold, "held", [](const storage::Run& run) {
    return isHeld(run) ? "checkpointing, then freeing its devices; `batchscope release` lets it go on"
                       : "held; `batchscope release` lets it go on";
  });
}

int releaseRuns(const JobsReference& options) {
  return doToAll(options, pool::release, "released",
                 [](const storage::Run&) { return "released; `batchscope queue` says when its turn comes"; });
}

int setPriority(const PriorityOptions& options) {
  storage::Catalogue catalogue = openCatalogue();
  const storage::Run run = catalogue.resolve(options.run);
  pool::prioritise(catalogue, run.id, options.priority);
  const auto placed = common::placedJob(catalogue, run);
  return answer(options.json,
                {{"run", run.id}, {"job", placed ? common::jobJson(*placed) : protocol::Json()}},
                fmt::format("{} has priority {}{}", title(run), options.priority,
                            placed ? ", and " + placeText(*placed) : ""));
}

}  // namespace batchscope::cli
