// SPDX-License-Identifier: Apache-2.0
//
// A user who may open a file of the store can lock it, and so block writers or a run that is to continue.
// Logs and series are private, too. So only the owner may open what we create. Stores that older versions
// made are open to others, and so may be a folder that was copied there.
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "doctor/doctor.h"
#include "records/store.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using Level = Finding::Level;
namespace fs = std::filesystem;

constexpr mode_t kOthers = S_IRWXG | S_IRWXO;

fs::path folderOfRuns() { return protocol::catalogue_path().parent_path() / "runs"; }

// Returns false for a link: its target is elsewhere.
bool isOpenToOthers(const fs::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && !S_ISLNK(status.st_mode) && (status.st_mode & kOthers) != 0;
}

// Returns the catalogue with its backups, and the files that SQLite and the pool put beside it.
std::vector<fs::path> filesOfCatalogue() {
  std::vector<fs::path> files;
  const fs::path catalogue = protocol::catalogue_path();
  const std::string name = catalogue.filename();
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator(catalogue.parent_path(), fault)) {
    const std::string other = entry.path().filename();
    if (other == name || other == name + "-wal" || other == name + "-shm" || other == "pool.lock" ||
        other == "sweep.lock" || other == "pool.log" ||
        (other.starts_with(name + ".v") && other.ends_with(".backup")))
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Returns the places that others can reach: below a folder that is closed to them, none.
std::vector<fs::path> placesToLookAt() {
  std::vector<fs::path> places = filesOfCatalogue();
  std::error_code fault;
  if (!fs::exists(folderOfRuns(), fault)) return places;
  places.push_back(folderOfRuns());
  if (isOpenToOthers(folderOfRuns()))
    for (const auto& entry : fs::directory_iterator(folderOfRuns(), fault)) places.push_back(entry.path());
  return places;
}

// Removes the rights of others; the owner's stay.
void tighten(const fs::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || S_ISLNK(status.st_mode) || status.st_uid != ::getuid()) return;
  ::chmod(path.c_str(), status.st_mode & 07777 & ~kOthers);
}

}  // namespace

std::vector<Finding> examineRights() {
  std::vector<Finding> findings;
  const auto warn = [&](const std::string& text, const std::string& remedy) {
    findings.push_back({Level::warning, word("rights"), text, remedy});
  };
  std::vector<fs::path> open;
  struct stat status {};
  for (const fs::path& path : placesToLookAt())
    if (::lstat(path.c_str(), &status) == 0 && status.st_uid != ::getuid())
      warn(say("{} belongs to another user", path.string()),
           fmt::format("chown -R {} {}", ::getuid(), path.string()));
    else if (isOpenToOthers(path))
      open.push_back(path);
  if (!open.empty())
    warn(say("other users can read or lock {} of the store, such as {}", plural(open.size(), "place"),
             open.front().string()),
         "batchscope doctor --tighten");
  // The folder above may be anybody's: only that nobody else puts other files in place of ours matters.
  const fs::path above = protocol::catalogue_path().parent_path();
  if (::stat(above.c_str(), &status) == 0 && (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    warn(say("{} can be written by other users", above.string()),
         fmt::format("chmod go-w {}", above.string()));
  return findings;
}

void tightenRights() {
  for (const fs::path& file : filesOfCatalogue()) tighten(file);
  tighten(folderOfRuns());
  std::error_code fault;
  for (fs::recursive_directory_iterator entry(folderOfRuns(), fault), end; !fault && entry != end;
       entry.increment(fault))
    tighten(entry->path());
}

}  // namespace batchscope::cli
