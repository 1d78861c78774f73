// SPDX-License-Identifier: Apache-2.0
#include "files/plain_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "batchscope/protocol/error.h"

namespace batchscope::web {

PlainFile::PlainFile(const std::filesystem::path& path)
    : PlainFile(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {}

PlainFile::PlainFile(int descriptor) : fd_(descriptor) {
  struct stat status {};
  is_there_ = fd_ >= 0 && ::fstat(fd_, &status) == 0 && S_ISREG(status.st_mode);
  if (!is_there_) return;
  size_ = status.st_size;
  modified_ = status.st_mtime;
}

PlainFile::~PlainFile() {
  if (fd_ >= 0) ::close(fd_);
}

std::string PlainFile::read(std::int64_t from, std::size_t most) const {
  std::string text(
      static_cast<std::size_t>(std::clamp<std::int64_t>(size_ - from, 0, static_cast<std::int64_t>(most))),
      '\0');
  const ssize_t count = text.empty() ? 0 : ::pread(fd_, text.data(), text.size(), from);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return text;
}

std::function<std::string()> pieces_of(std::shared_ptr<const PlainFile> file) {
  constexpr std::size_t kPiece = 256 << 10;  // bytes
  return [file = std::move(file), from = std::int64_t{0}]() mutable {
    std::string piece = file->read(from, kPiece);
    from += static_cast<std::int64_t>(piece.size());
    if (piece.empty() && from < file->size())
      throw Error(ErrorKind::io, "the file was cut while it was being sent");
    return piece;
  };
}

}  // namespace batchscope::web
