// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/checkpoint_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "batchscope/protocol/error.h"

namespace batchscope::protocol {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, int error) {
  throw Error(error == ENOENT || error == ENOTDIR ? ErrorKind::not_found : ErrorKind::io,
              "cannot open " + path.string() + ": " + std::strerror(error));
}

[[noreturn]] void distrust(const fs::path& path, const std::string& why) {
  throw Error(ErrorKind::corrupt, path.string() + " " + why + ", and nothing is loaded from it");
}

// Ours or root's, and nobody else may write it. A group may where it is the user's own: with a umask of 002
// it is one that nobody else is in.
void insist_it_is_ours(const fs::path& path, const struct stat& info) {
  if (info.st_uid != geteuid() && info.st_uid != 0)
    distrust(path, "belongs to another user (" + std::to_string(info.st_uid) + "; chown makes it yours)");
  const bool others_may_write = (info.st_mode & S_IWOTH) != 0,
             group_may_write = (info.st_mode & S_IWGRP) != 0 && info.st_gid != getegid();
  if (others_may_write || group_may_write)
    distrust(path, "may be written by other users (chmod go-w takes that from them)");
}

// Opens a directory. A link in its place is none (ENOTDIR), wherever it leads. The caller closes it.
int open_directory(int parent, const fs::path& name, const fs::path& path) {
  const int fd = openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) fail(path, errno);
  return fd;
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

struct stat status(const Descriptor& descriptor, const fs::path& path) {
  struct stat info {};
  if (fstat(descriptor.get(), &info) != 0) fail(path, errno);
  return info;
}

// The root of all places in memory lies where anybody may make one.
int open_in_memory(const fs::path& memory, const fs::path& name) {
  const fs::path root = memory.parent_path();
  const Descriptor home(open_directory(AT_FDCWD, root, root));
  const struct stat info = status(home, root);
  if (info.st_uid != geteuid() || (info.st_mode & 077) != 0)
    distrust(root, "does not belong to this user alone (mode 0700)");
  const Descriptor place(open_directory(home.get(), memory.filename(), memory));
  insist_it_is_ours(memory, status(place, memory));
  return open_directory(place.get(), name, memory / name);
}

}  // namespace

bool is_volatile(const fs::path& checkpoint, const fs::path& memory) {
  if (memory.empty()) return false;
  std::error_code error;
  return fs::read_symlink(checkpoint, error) == memory / checkpoint.filename();
}

CheckpointFolder::CheckpointFolder(const fs::path& checkpoint, const fs::path& memory)
    : path_(checkpoint), in_memory_(is_volatile(checkpoint, memory)) {
  std::error_code error;
  if (const fs::path to = fs::read_symlink(checkpoint, error); !in_memory_ && !to.empty())
    distrust(checkpoint, "is a link to " + to.string() + ", not to the run's own place in memory");
  Descriptor folder(in_memory_ ? open_in_memory(memory, checkpoint.filename())
                               : open_directory(AT_FDCWD, checkpoint, checkpoint));
  insist_it_is_ours(checkpoint, status(folder, checkpoint));
  descriptor_ = folder.release();
}

CheckpointFolder::~CheckpointFolder() { close(descriptor_); }

CheckpointFolder::File CheckpointFolder::file(const std::string& name) const {
  const fs::path path = path_ / name;
  struct stat info {};
  if (fstatat(descriptor_, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno != ENOENT) fail(path, errno);
    throw Error(ErrorKind::not_found, path.string() + " is missing");
  }
  if (S_ISDIR(info.st_mode)) fail(path, EISDIR);
  if (!S_ISREG(info.st_mode)) distrust(path, "is not a file");
  insist_it_is_ours(path, info);
  return {fs::path("/proc/self/fd") / std::to_string(descriptor_) / name, info.st_size};
}

}  // namespace batchscope::protocol
