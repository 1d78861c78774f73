// SPDX-License-Identifier: Apache-2.0
//
// What somebody may take away beside a run that trains. The folder of its sockets is made anew, for everybody
// finds the run by it. The run's own folder takes series, logs and checkpoints with it: the run ends, with a
// last checkpoint in a new folder where that can be made. And the room on its disk, which others fill.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/manifest.h"
#include "supervision/supervision.h"
#include "system/disk.h"
#include "words.h"

namespace batchscope::run {

namespace fs = std::filesystem;

namespace {

// Bytes, besides which a disk is all but full whatever a checkpoint takes.
constexpr std::int64_t kLeastRoom = 4 << 20;

// What would free some of it.
std::string describe(const Disk& disk, const fs::path& checkpoints) {
  std::string text = "the disk at " + disk.mount.string() + " has " + bytes_text(disk.free) + " of " +
                     bytes_text(disk.size) + " left";
  int pinned = 0;
  std::int64_t bytes = 0;
  try {
    for (const fs::path& checkpoint : protocol::list_checkpoints(checkpoints)) {
      if (fs::is_symlink(checkpoint)) continue;  // it takes none of this disk
      const protocol::Manifest manifest = protocol::read_manifest(checkpoint);
      if (!manifest.pinned) continue;
      ++pinned;
      for (const auto& file : manifest.files) bytes += file.bytes;
    }
  } catch (const Error&) {
    // At least those that could be read.
  }
  if (pinned > 0)
    text += "; " + std::to_string(pinned) +
            (pinned == 1 ? " checkpoint that was made by hand, and is kept, takes "
                         : " checkpoints that were made by hand, and are kept, take ") +
            bytes_text(bytes) + " of it in " + checkpoints.string() + ": remove what is not needed there";
  return text + "; batchscope gc --checkpoints --dry-run says what other runs could do without";
}

}  // namespace

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

// Empty while the disk has room for another checkpoint.
std::string Supervision::full_disk() const {
  const auto disk = disk_of(paths_.checkpoints);
  return disk && disk->free < room_wanted() ? describe(*disk, paths_.checkpoints) : std::string();
}

std::int64_t Supervision::room_wanted() const { return std::max(kLeastRoom, checkpoint_bytes_); }

// Told while there is room for an event yet, and again when there had been enough room in between.
void Supervision::watch_disk() {
  const auto disk = disk_of(paths_.checkpoints);
  if (!disk) return;
  if (disk->free >= 2 * room_wanted()) full_disk_told_ = false;
  if (disk->free >= room_wanted() || std::exchange(full_disk_told_, true)) return;
  tell("warning", "no room for another checkpoint, and soon none for what is recorded: " +
                      describe(*disk, paths_.checkpoints));
}

void Supervision::look_after_folders() {
  keep_sockets();
  watch_disk();
  for (const auto& [path, inode] : folders_) {
    if (machine_.over() || !was_removed(path, inode)) continue;
    const std::string why =
        path.string() + " was removed while the run trained; what was recorded there is gone";
    folders_.clear();
    return fail(why);
  }
}

}  // namespace batchscope::run
