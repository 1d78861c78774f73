// SPDX-License-Identifier: Apache-2.0
//
// Folders that somebody may take away beside a run that trains. The one of its sockets is made anew, for
// everybody finds the run by it. The run's own takes series, logs and checkpoints with it, which is the end
// of the run.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "batchscope/protocol/paths.h"
#include "socket/local_listener.h"
#include "supervision/tell.h"
#include "system/inode.h"

namespace batchscope::run {

class FolderWatch {
 public:
  FolderWatch(const protocol::RunPaths& paths, std::vector<LocalListener*> listeners, Tell tell);

  // Makes the sockets anew where they are gone.
  void keep_sockets();

  // Returns the folder that the run cannot do without, and that is gone; once for each.
  std::optional<std::filesystem::path> take_removed();

 private:
  const std::filesystem::path runtime_;
  const std::vector<LocalListener*> listeners_;
  const Tell tell_;
  std::map<std::filesystem::path, Inode> folders_;  // that the run cannot do without, as they were
  bool sockets_missing_ = false;                    // and cannot be made anew, as was reported
};

}  // namespace batchscope::run
