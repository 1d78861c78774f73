// SPDX-License-Identifier: Apache-2.0
#include "records/run_folders.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "terminal/terminal.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kPurged[] = ".purged", kPartial[] = ".partial";

fs::path folderOfRuns() { return protocol::catalogue_path().parent_path() / "runs"; }

// Anything but folders, at any depth; also where not all of it can be looked at.
bool holdsFiles(const fs::path& folder) {
  std::error_code fault;
  for (fs::recursive_directory_iterator entry(folder, fault), end; !fault && entry != end;
       entry.increment(fault)) {
    std::error_code gone;
    if (entry->is_symlink(gone) || !entry->is_directory(gone)) return true;
  }
  return static_cast<bool>(fault);
}

}  // namespace

// The store's writer holds a lock on the folder.
bool isWritten(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return true;
  const bool isFree = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  ::close(descriptor);
  return !isFree;
}

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

fs::path partialFolder(const std::string& id) { return protocol::run_paths(id).root.string() + kPartial; }

std::vector<fs::path> orphanedFolders(storage::Catalogue& catalogue) {
  std::vector<fs::path> orphans;
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator(folderOfRuns(), fault)) {
    const bool isLeft = entry.path().extension() == kPurged || entry.path().extension() == kPartial;
    if (isLeft && !entry.is_symlink() && entry.is_directory() &&
        protocol::valid_run_id(entry.path().stem()) && !isWritten(entry.path()))
      orphans.push_back(entry.path());
  }
  for (const std::string& id : catalogue.unlisted_folders())
    if (const fs::path folder = folderOfRuns() / id;
        !fs::is_symlink(folder) && !holdsFiles(folder) && !isWritten(folder))
      orphans.push_back(folder);
  std::sort(orphans.begin(), orphans.end());
  return orphans;
}

std::vector<std::string> unlistedRuns(storage::Catalogue& catalogue) {
  std::vector<std::string> ids = catalogue.unlisted_folders();
  std::erase_if(ids, [](const std::string& id) {
    const fs::path folder = folderOfRuns() / id;
    return !holdsFiles(folder) || isWritten(folder);
  });
  return ids;
}

bool isConfirmed(const std::string& question, const std::string& deed) {
  if (!isTerminal(STDIN_FILENO))
    throw Error(ErrorKind::usage,
                say("{} asks for confirmation, and there is no terminal: confirm with --yes", deed));
  fmt::print(stderr, "{} [y/N] ", question);
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace batchscope::cli
