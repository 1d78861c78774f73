// SPDX-License-Identifier: Apache-2.0
#include "access/own_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace batchscope::web {

std::optional<std::string> read_own_file(const std::filesystem::path& file, std::size_t most) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return std::nullopt;
  struct stat status {};
  bool good = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
              (status.st_mode & 0077) == 0;
  std::string text(most, '\0');
  std::size_t size = 0;
  while (good && size < most) {
    const ssize_t got = ::read(fd, text.data() + size, most - size);
    good = got >= 0;
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  ::close(fd);
  if (!good) return std::nullopt;
  text.resize(size);
  return text;
}

bool write_own_file(const std::filesystem::path& file, std::string_view text) {
  const std::filesystem::path unfinished = file.string() + ".new";
  ::unlink(unfinished.c_str());  // of a process that died
  const int fd = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  const bool whole =
      ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && ::fsync(fd) == 0;
  ::close(fd);
  if (whole && ::rename(unfinished.c_str(), file.c_str()) == 0) return true;
  ::unlink(unfinished.c_str());
  return false;
}

}  // namespace batchscope::web
