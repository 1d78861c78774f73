// SPDX-License-Identifier: Apache-2.0
#include "run_folders.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "terminal.h"

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;

// The store's writer holds a lock on the folder.
bool isWritten(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return true;
  const bool isFree = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  ::close(descriptor);
  return !isFree;
}

}  // namespace

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

void removeFolder(const fs::path& folder) {
  std::error_code fault;
  fs::remove_all(folder, fault);
  if (fault)
    throw Error(ErrorKind::io, fmt::format("the folder {} cannot be removed: {}; `batchscope gc` tries again",
                                           folder.string(), fault.message()));
}

void purgeRun(storage::Catalogue& catalogue, const std::string& id) {
  const protocol::RunPaths paths = protocol::run_paths(id);
  catalogue.remove_run(id);
  removeFolder(paths.root);
  removeFolder(paths.runtime);
}

std::vector<fs::path> orphanedFolders(storage::Catalogue& catalogue) {
  std::vector<fs::path> orphans;
  std::error_code fault;
  const fs::path runs = protocol::run_paths("00000000").root.parent_path();
  for (const auto& entry : fs::directory_iterator(runs, fault)) {
    const std::string id = entry.path().filename();
    if (entry.is_symlink() || !entry.is_directory() || !protocol::valid_run_id(id)) continue;
    if (!catalogue.run(id) && !isWritten(entry.path())) orphans.push_back(entry.path());
  }
  std::sort(orphans.begin(), orphans.end());
  return orphans;
}

bool isConfirmed(const std::string& question, const std::string& deed) {
  if (!isTerminal(STDIN_FILENO))
    throw Error(
        ErrorKind::usage,
        fmt::format("{} asks for confirmation on a terminal; there is none, so say --yes if it is meant",
                    deed));
  fmt::print(stderr, "{} [y/N] ", question);
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace batchscope::cli
