// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/private_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "file_fault.h"

namespace batchscope::protocol {

namespace fs = std::filesystem;

void make_private_directories(const fs::path& folder) {
  std::error_code error;
  if (folder.empty() || fs::is_directory(folder, error)) return;
  make_private_directories(folder.has_filename() ? folder.parent_path() : folder.parent_path().parent_path());
  if (mkdir(folder.c_str(), 0700) == 0) return;
  const int cause = errno;
  if (cause == EEXIST && fs::is_directory(folder, error)) return;  // another was faster
  fail_to("make the folder", folder, cause);
}

void make_private_file(const fs::path& file) noexcept {
  // Only a new file is opened: closing one that SQLite has open would drop the locks that it holds on it.
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd >= 0) close(fd);
}

}  // namespace batchscope::protocol
