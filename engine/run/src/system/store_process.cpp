// SPDX-License-Identifier: Apache-2.0
#include "batchscope/run/store_process.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/private_files.h"
#include "system/detached.h"

namespace batchscope::run {
namespace {

namespace fs = std::filesystem;

fs::path beside_catalogue(const char* name) { return protocol::catalogue_path().parent_path() / name; }

// Of the whole file, in the name of the open file: one process that closes another descriptor of it keeps
// the lock.
struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

fs::path StoreProcess::lock_path() const { return beside_catalogue(lock); }

bool StoreProcess::alive() const noexcept {
  try {
    const int descriptor = open(lock_path().c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return false;
    struct flock lock = whole_file();
    const bool known = fcntl(descriptor, F_OFD_GETLK, &lock) == 0;
    close(descriptor);
    return known && lock.l_type != F_UNLCK;
  } catch (const std::exception&) {  // no home to have a store in
    return false;
  }
}

void StoreProcess::start() const {
  if (!alive()) start_detached(program, {}, beside_catalogue(log));
}

StoreLock::StoreLock(const StoreProcess& process) {
  const fs::path file = process.lock_path();
  protocol::make_private_directories(file.parent_path());
  descriptor_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor_ < 0)
    throw Error(ErrorKind::io, "cannot open " + file.string() + ": " + std::strerror(errno));
  struct flock lock = whole_file();
  if (fcntl(descriptor_, F_OFD_SETLK, &lock) == 0) {
    held_ = true;
  } else if (const int cause = errno; cause != EAGAIN && cause != EACCES) {
    close(descriptor_);
    throw Error(ErrorKind::io, "cannot lock " + file.string() + ": " + std::strerror(cause));
  }
}

StoreLock::~StoreLock() { close(descriptor_); }

}  // namespace batchscope::run
