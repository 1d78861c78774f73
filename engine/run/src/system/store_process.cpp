// SPDX-License-Identifier: Apache-2.0
#include "batchscope/run/store_process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/private_files.h"
#include "system/detached.h"

namespace batchscope::run {
namespace {

namespace fs = std::filesystem;

fs::path beside_catalogue(const char* name) { return protocol::catalogue_path().parent_path() / name; }

constexpr double kHangs = 60;  // s without a heartbeat

// Returns a lock of the whole file, in the name of the open file: one process that closes another descriptor
// of it keeps the lock.
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

std::optional<ProcessHeartbeat> StoreProcess::heartbeat() const noexcept {
  if (!alive()) return std::nullopt;
  try {
    struct stat file {};
    if (stat(lock_path().c_str(), &file) != 0) return std::nullopt;
    const auto changed =
        std::chrono::seconds(file.st_mtim.tv_sec) + std::chrono::nanoseconds(file.st_mtim.tv_nsec);
    const std::chrono::duration<double> age = std::chrono::system_clock::now().time_since_epoch() - changed;
    ProcessHeartbeat heartbeat{0, std::max(age.count(), 0.0)};
    std::ifstream(lock_path()) >> heartbeat.pid;
    return heartbeat;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::string StoreProcess::hang() const {
  const auto last = heartbeat();
  if (!last || last->age < kHangs || last->pid <= 0) return "";
  return fmt::format(
      "{}, process {}, has not answered for {:.0f} s and holds {}: kill -CONT {} if it was stopped, else "
      "kill -KILL {}",
      program, last->pid, last->age, lock_path().string(), last->pid, last->pid);
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
    // For people who want to know who it is; without room on the disk it works all the same.
    const std::string pid = std::to_string(getpid()) + "\n";
    if (ftruncate(descriptor_, 0) == 0) [[maybe_unused]]
      const auto written = pwrite(descriptor_, pid.data(), pid.size(), 0);
  } else if (const int cause = errno; cause != EAGAIN && cause != EACCES) {
    close(descriptor_);
    throw Error(ErrorKind::io, "cannot lock " + file.string() + ": " + std::strerror(cause));
  }
}

void StoreLock::beat() noexcept { futimens(descriptor_, nullptr); }

StoreLock::~StoreLock() { close(descriptor_); }

}  // namespace batchscope::run
