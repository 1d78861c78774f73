// SPDX-License-Identifier: Apache-2.0
//
// rm: takes a run out of the catalogue and deletes its folder with its series, logs and checkpoints.
#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <iostream>

#include "commands.h"
#include "format.h"
#include "run_json.h"
#include "store.h"
#include "terminal.h"

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;

std::int64_t folderBytes(const fs::path& folder) {
  std::int64_t bytes = 0;
  std::error_code fault;
  for (fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, fault),
       end;
       !fault && entry != end; entry.increment(fault)) {
    std::error_code gone;
    if (entry->is_regular_file(gone)) bytes += static_cast<std::int64_t>(entry->file_size(gone));
  }
  return bytes;
}

bool confirmed(const storage::Run& run, std::int64_t bytes, std::int64_t checkpoints) {
  if (!isTerminal(STDIN_FILENO))
    throw Error(ErrorKind::usage,
                fmt::format("removing {} asks for confirmation on a terminal; there is none, so say "
                            "--yes if it is meant",
                            title(run)));
  fmt::print(stderr, "Remove {}, {} with {}, for good? [y/N] ", title(run), formatBytes(bytes),
             plural(checkpoints, "checkpoint"));
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

void removeFolder(const fs::path& folder) {
  std::error_code fault;
  fs::remove_all(folder, fault);
  if (fault)
    throw Error(ErrorKind::io,
                fmt::format("the run is out of the catalogue, but its folder {} cannot be removed: {}",
                            folder.string(), fault.message()));
}

}  // namespace

int removeRun(const RemoveOptions& options) {
  storage::Catalogue catalogue = openCatalogue();
  const storage::Run run = catalogue.resolve(options.run);
  if (protocol::is_active(run.state))
    throw Error(ErrorKind::conflict, fmt::format("{} is {}; stop it first: batchscope stop {}", title(run),
                                                 protocol::run_state_name(run.state), run.id));
  const protocol::RunPaths paths = protocol::run_paths(run.id);
  const std::int64_t bytes = folderBytes(paths.root);
  if (!options.yes &&
      !confirmed(run, bytes, static_cast<std::int64_t>(catalogue.checkpoints(run.id).size()))) {
    fmt::print(stderr, "batchscope: nothing was removed\n");
    return kExitConflict;
  }
  catalogue.remove_run(run.id);
  removeFolder(paths.root);
  removeFolder(paths.runtime);
  if (options.json)
    printJson({{"removed", run.id}, {"bytes", bytes}});
  else
    fmt::print("removed {}, {}\n", title(run), formatBytes(bytes));
  return kExitOk;
}

}  // namespace batchscope::cli
