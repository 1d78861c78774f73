// SPDX-License-Identifier: Apache-2.0
#include "supervision/disk_watch.h"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/manifest.h"
#include "system/disk.h"
#include "words.h"

namespace batchscope::run {

namespace fs = std::filesystem;

namespace {

// Bytes, besides which a disk is all but full whatever a checkpoint takes.
constexpr std::int64_t kLeastRoom = 4 << 20;

// Describes the disk, and what would free some of it.
std::string describe(const Disk& disk, const fs::path& checkpoints) {
  std::string text = fmt::format("the disk at {} has {} of {} left", disk.mount.string(),
                                 bytes_text(disk.free), bytes_text(disk.size));
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
    // The sum is of those that could be read, at least.
  }
  if (pinned > 0)
    text +=
        fmt::format("; {} {} of it in {}: remove those that you do not need",
                    pinned == 1 ? "1 checkpoint made by hand, which is kept, takes"
                                : fmt::format("{} checkpoints made by hand, which are kept, take", pinned),
                    bytes_text(bytes), checkpoints.string());
  return text +
         "; batchscope gc --checkpoints --dry-run lists checkpoints of other runs that could be deleted";
}

}  // namespace

DiskWatch::DiskWatch(fs::path checkpoints, Tell tell)
    : checkpoints_(std::move(checkpoints)), tell_(std::move(tell)) {}

std::int64_t DiskWatch::wanted() const { return std::max(kLeastRoom, checkpoint_bytes_); }

std::string DiskWatch::full() const {
  const auto disk = disk_of(checkpoints_);
  return disk && disk->free < wanted() ? describe(*disk, checkpoints_) : std::string();
}

void DiskWatch::check() {
  const auto disk = disk_of(checkpoints_);
  if (!disk) return;
  if (disk->free >= 2 * wanted()) reported_ = false;
  if (disk->free >= wanted() || std::exchange(reported_, true)) return;
  tell_("warning", "no room for another checkpoint, and soon none for the run's record: " +
                       describe(*disk, checkpoints_));
}

}  // namespace batchscope::run
