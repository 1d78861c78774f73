// SPDX-License-Identifier: Apache-2.0
//
// compact and backup: shrink the store's files, and copy them while runs go on.
#include <filesystem>
#include <vector>

#include "batchscope/common/shell_words.h"
#include "batchscope/protocol/private_files.h"
#include "batchscope/storage/maintenance.h"
#include "batchscope/storage/samples.h"
#include "commands/commands.h"
#include "files/unfinished.h"
#include "records/run_folders.h"
#include "records/store.h"
#include "terminal/interruption.h"
#include "terminal/json_output.h"
#include "terminal/transfer_progress.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;
using Runs = std::vector<storage::Run>;

// A writer rewrites all of the file into chunks when it opens and closes it.
void compactSamples(const fs::path& file) {
  { storage::SampleWriter writer(file); }
  storage::vacuum(file);
}

Runs chosenRuns(storage::Catalogue& catalogue, const std::vector<std::string>& names) {
  if (names.empty()) return catalogue.runs();
  Runs runs;
  for (const std::string& name : names) runs.push_back(catalogue.resolve(name));
  return runs;
}

}  // namespace

int compactStore(const CompactOptions& options) {
  storage::Catalogue catalogue = openCatalogue();
  const Runs runs = chosenRuns(catalogue, options.runs);
  std::int64_t before = 0, after = 0, skipped = 0;
  {
    TransferProgress progress(say("compacting"), static_cast<std::int64_t>(runs.size()) + 1);
    for (const storage::Run& run : runs) {
      progress.add(1);
      if (!protocol::valid_run_id(run.id)) continue;
      const fs::path file = protocol::run_paths(run.id).samples;
      if (!fs::exists(file)) continue;
      if (isHeld(run)) {
        ++skipped;
        continue;
      }
      before += storage::size_on_disk(file);
      compactSamples(file);
      after += storage::size_on_disk(file);
    }
    if (options.runs.empty()) {
      const fs::path file = protocol::catalogue_path();
      before += storage::size_on_disk(file);
      storage::vacuum(file);
      after += storage::size_on_disk(file);
    }
  }
  return answer(options.json, {{"bytes_before", before}, {"bytes_after", after}, {"skipped", skipped}},
                say("{} before, {} now{}", formatBytes(before), formatBytes(after),
                    skipped > 0 ? say("; {} skipped, because active", plural(skipped, "run")) : ""));
}

int backUpStore(const BackupOptions& options) {
  storage::Catalogue catalogue = openCatalogue();
  Runs runs = catalogue.runs();
  for (storage::Run& run : catalogue.trash()) runs.push_back(std::move(run));
  const OutputTarget target(options.folder);
  target.requirePlace(say("a backup"));
  const fs::path& folder = target.path();
  std::error_code fault;
  if (fs::exists(folder) && !(fs::is_directory(folder) && fs::is_empty(folder, fault)))
    throw Error(ErrorKind::conflict, say("{} exists already; name a new folder", folder.string()));
  if (const fs::path above = folder.parent_path(); fs::create_directories(above, fault), fault)
    throw Error(ErrorKind::io, say("cannot make {}: {}", above.string(), fault.message()));
  const InterruptionGuard guard;
  Unfinished unfinished(target);
  protocol::make_private_directories(unfinished.path());
  // The samples first: a run that begins meanwhile is in none of both, or has no samples yet.
  TransferProgress progress(say("copying"), static_cast<std::int64_t>(runs.size()));
  for (const storage::Run& run : runs) {
    progress.add(1);
    if (!protocol::valid_run_id(run.id)) continue;
    const fs::path file = protocol::run_paths(run.id).samples;
    if (!fs::exists(file)) continue;
    const fs::path copy = unfinished.path() / "runs" / run.id / file.filename();
    protocol::make_private_directories(copy.parent_path());
    storage::back_up(file, copy);
  }
  storage::back_up(protocol::catalogue_path(), unfinished.path() / "runs.db");
  unfinished.finish();
  const std::int64_t bytes = folderBytes(folder);
  return answer(options.json, {{"written", folder.string()}, {"runs", runs.size()}, {"bytes", bytes}},
                say("copied {}, {}, to {}; BATCHSCOPE_DB={} batchscope ls lists them",
                    plural(static_cast<std::int64_t>(runs.size()), "run"), formatBytes(bytes),
                    printable(folder.string()),
                    printable(common::shellWords(std::vector{(fs::absolute(folder) / "runs.db").string()}))));
}

}  // namespace batchscope::cli
