// SPDX-License-Identifier: Apache-2.0
/// \file
/// Programs of ours of which one process runs per store, as others see them: whether it runs, and how to
/// start it. It is the process that holds a lock beside the catalogue, which the kernel frees however the
/// process ends.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace batchscope::run {

/// A sign of life of such a process, left in its lock; protocol::Heartbeat is a replica's.
struct ProcessHeartbeat {
  std::int64_t pid = 0;  ///< of who holds the lock; 0: it does not say
  double age = 0;        ///< s since it beat last
};

/// Such a program.
struct StoreProcess {
  const char* program;  ///< name of its file, beside ours
  const char* lock;     ///< name of the file that it locks, beside the catalogue
  const char* log;      ///< the same, of the file with its output

  /// Returns the path of the file that is locked. Pure.
  std::filesystem::path lock_path() const;

  /// Returns whether it runs, without taking the lock; never blocks and never throws: false where that cannot
  /// be told.
  bool alive() const noexcept;

  /// Returns the heartbeat of a process that runs and beats (StoreLock::beat); none where none runs.
  std::optional<ProcessHeartbeat> heartbeat() const noexcept;

  /// Returns a sentence about a process that has not beaten for a minute, with its id and what to do; empty
  /// where all is well. Such a process hangs, or was stopped by a signal, and no other can take its place.
  std::string hang() const;

  /// Starts it where it does not run: detached, in a session of its own. Does not wait until it is up; of two
  /// that are started at once, one stays. Throws Error(not_found) where the program is missing, Error(io).
  void start() const;
};

/// The lock, held by such a process for its life. The file stays.
class StoreLock {
 public:
  /// Takes the lock where nobody has it; never blocks. Throws Error(io) where the file cannot be made.
  explicit StoreLock(const StoreProcess& process);
  ~StoreLock();
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;

  bool held() const { return held_; }  ///< it is ours, and no other process's

  /// Notes that the process still works, by touching the lock's file. Never fails.
  void beat() noexcept;

 private:
  int descriptor_ = -1;
  bool held_ = false;
};

}  // namespace batchscope::run
