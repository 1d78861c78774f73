// SPDX-License-Identifier: Apache-2.0
//
// A mount point is the highest folder on the way up that lies on the same device.
#include "system/disk.h"

#include <sys/statvfs.h>

#include "system/inode.h"

namespace batchscope::run {

std::optional<Disk> disk_of(const std::filesystem::path& folder) {
  struct statvfs info {};
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(folder, error);
  if (error || statvfs(folder.c_str(), &info) != 0) return std::nullopt;
  Disk disk;
  disk.mount = real;
  while (disk.mount.has_relative_path() && inode_of(disk.mount.parent_path()).device == inode_of(real).device)
    disk.mount = disk.mount.parent_path();
  disk.free = static_cast<std::int64_t>(info.f_bavail * info.f_frsize);
  disk.size = static_cast<std::int64_t>(info.f_blocks * info.f_frsize);
  return disk;
}

}  // namespace batchscope::run
