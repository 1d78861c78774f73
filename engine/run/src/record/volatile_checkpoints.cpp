// SPDX-License-Identifier: Apache-2.0
//
// The place of a run in memory: <root>/<run id>/ with the checkpoints, "lock", which the supervisor holds,
// and "home", a link to the run's directory of checkpoints. Places are made and taken apart under the lock of
// their root, so that nobody takes apart what is just being made.
#include "record/volatile_checkpoints.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "batchscope/protocol/checkpoint_folder.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/manifest.h"
#include "batchscope/protocol/volatile_checkpoint.h"

namespace batchscope::run {
namespace {

namespace fs = std::filesystem;
using namespace protocol;

constexpr char kLock[] = "lock", kHome[] = "home";
constexpr int kKept = 2;
constexpr auto kRetryInterval = std::chrono::seconds(2);

// An exclusive lock of a file that is made for it; -1 where somebody else has it, or there is no such place.
int lock_file(const fs::path& file, int wait = LOCK_NB) {
  const int fd = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd >= 0 && flock(fd, LOCK_EX | wait) == 0) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

// Puts a checkpoint that a supervisor which is gone left in memory on disk, if its run still refers to it;
// the rest goes.
void take_apart(const fs::path& place) {
  std::error_code error;
  const fs::path home = fs::read_symlink(place / kHome, error);
  for (const fs::path& memory : list_checkpoints(place)) {
    const fs::path link = home / memory.filename();
    if (!home.empty() && is_volatile(link, place)) persist_checkpoint(link, place);
  }
  fs::remove_all(place, error);
}

// Throws Error where a checkpoint cannot be put on disk; it stays where it is.
void take_leftovers_apart(const fs::path& root) {
  std::error_code error;
  for (const auto& place : fs::directory_iterator(root, error)) {
    if (!valid_run_id(place.path().filename().string()) || place.is_symlink(error)) continue;
    const int lock = lock_file(place.path() / kLock);
    if (lock < 0) continue;
    try {
      take_apart(place);
    } catch (const Error&) {
      // The run's disk may be full; there may be room when it is resumed.
    }
    close(lock);
  }
}

}  // namespace

VolatileCheckpoints::VolatileCheckpoints(const RunPaths& paths) : paths_(paths) {
  if (!paths_.memory.empty()) make_place();
  remove_lost();
}

void VolatileCheckpoints::make_place() {
  const fs::path root = paths_.memory.parent_path();
  std::error_code error;
  try {
    make_private_directory(root, "BATCHSCOPE_SHM");
  } catch (const Error& why) {
    // Where there is no /dev/shm nothing is amiss.
    if (fs::exists(fs::symlink_status(root, error)))
      tell("warning",
           std::string("the checkpoints for restarts are written to disk, not to memory: ") + why.what());
    return;
  }
  const int all = lock_file(root / kLock, 0);
  if (all < 0) return;
  take_leftovers_apart(root);
  if (mkdir(paths_.memory.c_str(), 0700) == 0 || errno == EEXIST) lock_ = lock_file(paths_.memory / kLock);
  if (lock_ >= 0)
    fs::create_symlink(paths_.checkpoints, paths_.memory / kHome, error);  // is there after a failure
  close(all);
}

// Removes links into the memory of a machine that went down: nothing is there any more, or somebody else's
// is.
void VolatileCheckpoints::remove_lost() {
  for (const fs::path& checkpoint : list_checkpoints(paths_.checkpoints)) {
    const std::string name = checkpoint.filename().string();
    std::error_code error;
    if (!is_volatile(checkpoint, paths_.memory)) {
      if (const fs::path to = fs::read_symlink(checkpoint, error); !to.empty())
        tell("warning",
             name + " is a link to " + to.string() +
                 ", not to the run's own place in memory: the run does not use it and leaves it alone");
      continue;
    }
    try {
      const CheckpointFolder folder(checkpoint, paths_.memory);
    } catch (const Error& why) {
      if (why.kind() == ErrorKind::io) continue;
      fs::remove(checkpoint, error);
      lost_.insert(name);
      tell("warning", name + " was in memory only when the machine went down, and is lost");
    }
  }
}

VolatileCheckpoints::~VolatileCheckpoints() {
  settle();
  if (lock_ < 0) return;
  try {
    std::error_code error;
    // A checkpoint that could not be put on disk waits for the next supervisor.
    if (list_checkpoints(paths_.memory).empty()) fs::remove_all(paths_.memory, error);
  } catch (const Error&) {
    // A place that cannot be seen is left to the next supervisor, too.
  }
  close(lock_);
}

void VolatileCheckpoints::persist() {
  tried_ = std::chrono::steady_clock::now();
  {
    const std::lock_guard lock(mutex_);
    wanted_ = true;
    if (std::exchange(writing_, true)) return;
  }
  running_ = std::async(std::launch::async, [this] {
    setpriority(PRIO_PROCESS, 0, 10);  // of this thread: replicas train beside it
    while (take_request()) {
      try {
        write_out();
      } catch (const std::exception& error) {  // of a directory that is being changed, say
        tell("warning", std::string("checkpoints in memory are not on disk yet: ") + error.what());
      }
    }
  });
}

// Whether somebody has asked since it was last looked; the thread that hears no writes no more.
bool VolatileCheckpoints::take_request() {
  const std::lock_guard lock(mutex_);
  writing_ = std::exchange(wanted_, false);
  return writing_;
}

void VolatileCheckpoints::try_again() {
  if (failing_ && std::chrono::steady_clock::now() - tried_ > kRetryInterval) persist();
}

void VolatileCheckpoints::settle() {
  if (running_.valid()) running_.get();
  try {
    write_out();
  } catch (const Error& error) {
    tell("warning", std::string("checkpoints in memory are not on disk: ") + error.what());
  }
}

void VolatileCheckpoints::write_out() {
  keep_newest();
  for (const fs::path& checkpoint : list_checkpoints(paths_.checkpoints)) {
    if (!is_volatile(checkpoint, paths_.memory)) continue;
    try {
      persist_checkpoint(checkpoint, paths_.memory);
      if (failing_.exchange(false)) tell("info", checkpoint.filename().string() + " is on disk now");
    } catch (const Error& error) {
      if (!failing_.exchange(true))
        tell("warning", checkpoint.filename().string() +
                            " stays in memory, and would be lost with the machine: " + error.what());
      return;
    }
  }
}

// Keeps as many as on disk: memory is not only ours, and what the disk was too slow or too full for is out of
// date.
void VolatileCheckpoints::keep_newest() {
  int newer = 0;
  for (const fs::path& checkpoint : list_checkpoints(paths_.checkpoints)) {
    if (++newer <= kKept || !is_volatile(checkpoint, paths_.memory)) continue;
    try {
      if (!read_manifest(checkpoint, paths_.memory).pinned)
        remove_volatile_checkpoint(checkpoint, paths_.memory);
    } catch (const Error&) {
      // The link is in a directory that cannot be changed now, or it is not ours to judge.
    }
  }
}

void VolatileCheckpoints::tell(const std::string& level, const std::string& text) {
  const std::lock_guard lock(mutex_);
  news_.push_back({level, text});
}

std::vector<VolatileCheckpoints::News> VolatileCheckpoints::take_news() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, {});
}

}  // namespace batchscope::run
