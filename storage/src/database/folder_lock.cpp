// SPDX-License-Identifier: Apache-2.0
#include "database/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/private_files.h"

namespace batchscope::storage {

FolderLock::FolderLock(const std::filesystem::path& folder) {
  protocol::make_private_directories(folder);
  descriptor_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0)
    throw Error(ErrorKind::io, "cannot open the folder " + folder.string() + ": " + std::strerror(errno));
  if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  const int cause = errno;
  if (cause != EWOULDBLOCK) return;  // a file system without such locks
  ::close(descriptor_);
  throw Error(ErrorKind::conflict, "another process is recording into " + folder.string() +
                                       ": stop that run first (batchscope ls)");
}

FolderLock::~FolderLock() { ::close(descriptor_); }

}  // namespace batchscope::storage
