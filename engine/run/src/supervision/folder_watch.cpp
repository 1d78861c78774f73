// SPDX-License-Identifier: Apache-2.0
#include "supervision/folder_watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "batchscope/protocol/error.h"

namespace batchscope::run {

namespace fs = std::filesystem;

FolderWatch::FolderWatch(const protocol::RunPaths& paths, std::vector<LocalListener*> listeners, Tell tell)
    : runtime_(paths.runtime), listeners_(std::move(listeners)), tell_(std::move(tell)) {
  for (const fs::path& path : {paths.root, paths.samples}) folders_[path] = inode_of(path);
}

void FolderWatch::keep_sockets() {
  if (std::all_of(listeners_.begin(), listeners_.end(),
                  [](const auto* listener) { return listener->stands(); }))
    return;
  try {
    std::error_code ignored;  // what is missing, the next call says
    fs::create_directories(runtime_.parent_path().parent_path(), ignored);
    protocol::make_private_directory(runtime_.parent_path());
    protocol::make_private_directory(runtime_);
    for (LocalListener* const listener : listeners_)
      if (!listener->stands()) listener->renew();
  } catch (const Error& error) {
    if (!std::exchange(sockets_missing_, true))
      tell_("error", fmt::format("the run's sockets were removed and cannot be made again: {}. Until then no "
                                 "command reaches the run; to stop it: kill -TERM {}",
                                 error.what(), getpid()));
    return;
  }
  sockets_missing_ = false;
  tell_("warning", "the run's sockets in " + runtime_.string() + " were removed, and are made again");
}

std::optional<fs::path> FolderWatch::take_removed() {
  const auto removed = std::find_if(folders_.begin(), folders_.end(), [](const auto& folder) {
    return was_removed(folder.first, folder.second);
  });
  if (removed == folders_.end()) return std::nullopt;
  const fs::path path = removed->first;
  folders_.clear();
  return path;
}

}  // namespace batchscope::run
