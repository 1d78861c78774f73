// SPDX-License-Identifier: Apache-2.0
//
// Stands in for `batchscope-pool`: it is there, and decides nothing. It ends when its lock's file is removed.
#include <chrono>
#include <filesystem>
#include <thread>

#include "batchscope/run/pool.h"

int main() {
  const batchscope::run::StoreLock lock(batchscope::run::kPool);
  if (!lock.held()) return 1;
  while (std::filesystem::exists(batchscope::run::kPool.lock_path()))
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
}
