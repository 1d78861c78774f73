// SPDX-License-Identifier: Apache-2.0
//
// doctor --store: reads every file of the store from its first byte to its last: SQLite's own check of its
// structure, and the checksum of each chunk of samples. Also finds folders that belong to no run.
#include <fmt/core.h>

#include <filesystem>

#include "batchscope/storage/maintenance.h"
#include "doctor/doctor.h"
#include "records/run_folders.h"
#include "records/store.h"
#include "terminal/transfer_progress.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using Level = Finding::Level;
namespace fs = std::filesystem;

std::string savingText() { return say("batchscope export saves the part that can be read"); }

Finding damage(const std::string& where, const std::string& fault, const std::string& remedy) {
  return {Level::problem, word("damage"), fmt::format("{}: {}", where, printable(fault)), remedy};
}

void checkStructure(const fs::path& file, const std::string& remedy, std::vector<Finding>& findings) {
  for (const std::string& fault : storage::check(file))
    findings.push_back(damage(file.string(), fault, remedy));
}

// Samples that are as they were written.
std::int64_t checkSamples(const storage::Run& run, const fs::path& file, std::vector<Finding>& findings) {
  const storage::SeriesCheck found = storage::check_series(file);
  for (const std::string& fault : found.faults)
    findings.push_back(damage(fmt::format("{}: {}", title(run), file.string()), fault, savingText()));
  return found.samples;
}

// Checks what the catalogue holds of a run beyond its row in the list.
void checkHistory(storage::Catalogue& catalogue, const storage::Run& run, std::vector<Finding>& findings) {
  if (run.state == protocol::RunState::damaged) return;  // examineStore has it
  try {
    catalogue.record(run.id);
    catalogue.checkpoints(run.id);
  } catch (const Error& error) {
    findings.push_back(damage(title(run), error.what(), "batchscope rm --purge " + run.id));
  }
}

}  // namespace

std::vector<Finding> examineStoreFiles() {
  std::vector<Finding> findings;
  const fs::path file = protocol::catalogue_path();
  if (!fs::exists(file)) return findings;
  storage::Catalogue catalogue(file);
  std::vector<storage::Run> runs = catalogue.runs();
  const std::vector<storage::Run> trash = catalogue.trash();
  runs.insert(runs.end(), trash.begin(), trash.end());
  checkStructure(file, say("put a backup in its place"), findings);

  std::int64_t samples = 0, bytes = 0, inTrash = 0;
  {
    TransferProgress progress(say("reading"), static_cast<std::int64_t>(runs.size()));
    for (const storage::Run& run : runs) {
      progress.add(1);
      checkHistory(catalogue, run, findings);
      if (!protocol::valid_run_id(run.id)) continue;
      const protocol::RunPaths paths = protocol::run_paths(run.id);
      const std::int64_t size = folderBytes(paths.root);
      (run.removed > 0 ? inTrash : bytes) += size;
      if (!fs::exists(paths.samples)) continue;
      checkStructure(paths.samples, savingText(), findings);
      try {
        samples += checkSamples(run, paths.samples, findings);
      } catch (const Error& error) {
        findings.push_back(
            {Level::problem, word("damage"), printable(error.what()), say("restore it from a backup")});
      }
    }
  }
  std::int64_t orphaned = 0;
  const std::vector<fs::path> orphans = orphanedFolders(catalogue);
  for (const fs::path& folder : orphans) orphaned += folderBytes(folder);
  if (!orphans.empty())
    findings.push_back({Level::warning, word("orphans"),
                        say("{} without a run, {}", plural(orphans.size(), "folder"), formatBytes(orphaned)),
                        "batchscope gc"});
  if (!trash.empty())
    findings.push_back(
        {Level::ok, word("trash"),
         say("{}, {}; batchscope gc empties it", plural(trash.size(), "run"), formatBytes(inTrash))});
  findings.push_back({Level::ok, word("files"),
                      say("read {} of {}, which take {}", plural(samples, "sample"),
                          plural(runs.size(), "run"), formatBytes(bytes))});
  return findings;
}

}  // namespace batchscope::cli
