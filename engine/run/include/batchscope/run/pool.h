// SPDX-License-Identifier: Apache-2.0
/// \file
/// The pool's process as others see it: whether it is there, and how it comes to be. It is the one that holds
/// `pool.lock` beside the catalogue, by a lock that the kernel takes back however it ends; so there is one a
/// store. Whoever finds something for it to decide starts it (Catalogue::pool_needed says whether there is).
#pragma once

#include <filesystem>

namespace batchscope::run {

/// The file that is locked. Pure.
std::filesystem::path pool_lock_path();

/// Whether a pool is there. Asks without taking; never blocks and never fails: false where nobody can tell.
bool pool_alive() noexcept;

/// Starts `batchscope-pool` where none is there: detached, in a session of its own, with its output in
/// `pool.log` beside the catalogue. Does not wait until it is up; of two that are started at once one stays.
/// Throws Error(not_found) where that program is missing, Error(io).
void start_pool();

/// Held by the pool for its life. The file stays.
class PoolLock {
 public:
  /// Takes it where nobody has it; never blocks. Throws Error(io) where the file cannot be made.
  PoolLock();
  ~PoolLock();
  PoolLock(const PoolLock&) = delete;
  PoolLock& operator=(const PoolLock&) = delete;

  bool held() const { return held_; }  ///< it is ours, and no other process's

 private:
  int descriptor_ = -1;
  bool held_ = false;
};

}  // namespace batchscope::run
