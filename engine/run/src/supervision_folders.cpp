// SPDX-License-Identifier: Apache-2.0
//
// What somebody may remove beside a run that trains. The folder of its sockets is made anew, for everybody
// finds the run by it. The run's own folder takes series, logs and checkpoints with it: the run ends, with a
// last checkpoint in a new folder where that can be made.
#include <unistd.h>

#include <array>
#include <utility>

#include "batchscope/protocol/error.h"
#include "supervision.h"

namespace batchscope::run {

namespace fs = std::filesystem;

void Supervision::keep_sockets() {
  const std::array listeners{&telemetry_.listener(), &control_.listener()};
  if (std::all_of(listeners.begin(), listeners.end(),
                  [](const auto* listener) { return listener->stands(); }))
    return;
  try {
    std::error_code ignored;  // what is missing, the next call says
    fs::create_directories(paths_.runtime.parent_path().parent_path(), ignored);
    protocol::make_private_directory(paths_.runtime.parent_path());
    protocol::make_private_directory(paths_.runtime);
    for (LocalListener* const listener : listeners)
      if (!listener->stands()) listener->renew();
  } catch (const Error& error) {
    if (!std::exchange(sockets_missing_, true))
      tell("error", std::string("the run's sockets were removed, and cannot be made anew: ") + error.what() +
                        "; until they can, no command reaches the run, and only kill -TERM " +
                        std::to_string(getpid()) + " stops it");
    return;
  }
  sockets_missing_ = false;
  tell("warning", "the run's sockets in " + paths_.runtime.string() + " were removed, and are made anew");
}

void Supervision::look_after_folders() {
  keep_sockets();
  for (const auto& [path, inode] : folders_) {
    if (machine_.over() || inode_of(path) == inode) continue;
    const std::string why =
        path.string() + " was removed while the run trained; what was recorded there is gone";
    folders_.clear();
    tell("error", why + "; the run ends, with a last checkpoint where that can be written");
    machine_.fail(why);
    settle();
    return;
  }
}

}  // namespace batchscope::run
