// SPDX-License-Identifier: Apache-2.0
/// \file
/// Programs of ours that run once a store, as others see them: whether one is there, and how it comes to be.
/// It is the one that holds its lock beside the catalogue, by a lock that the kernel takes back however it
/// ends.
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

  /// The file that is locked. Pure.
  std::filesystem::path lock_path() const;

  /// Whether it is there. Asks without taking; never blocks and never fails: false where nobody can tell.
  bool alive() const noexcept;

  /// The heartbeat of one that is there and beats (StoreLock::beat); none where it is not there.
  std::optional<ProcessHeartbeat> heartbeat() const noexcept;

  /// A sentence on one that is there and has not beaten for a minute, with who it is and what to do; empty
  /// where all is well. It hangs, or was stopped by a signal, and none can take its place.
  std::string hang() const;

  /// Starts it where it is not there: detached, in a session of its own. Does not wait until it is up; of two
  /// that are started at once one stays. Throws Error(not_found) where the program is missing, Error(io).
  void start() const;
};

/// Held by such a process for its life. The file stays.
class StoreLock {
 public:
  /// Takes it where nobody has it; never blocks. Throws Error(io) where the file cannot be made.
  explicit StoreLock(const StoreProcess& process);
  ~StoreLock();
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;

  bool held() const { return held_; }  ///< it is ours, and no other process's

  /// Says that the process still works: the lock's file was changed now. Never fails.
  void beat() noexcept;

 private:
  int descriptor_ = -1;
  bool held_ = false;
};

}  // namespace batchscope::run
