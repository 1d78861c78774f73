// SPDX-License-Identifier: Apache-2.0
//
// The removal of sweeps from a page, as `batchscope sweep rm`, and its undo. The catalogue forgets a removed
// sweep, and a page must not be able to write one into it, since a sweep names a program. So the server keeps
// what it has removed, as long as it runs.
#pragma once

#include <deque>
#include <mutex>
#include <string>

#include "batchscope/protocol/json.h"
#include "batchscope/sweep/sweeps.h"
#include "store/store.h"

namespace batchscope::web {

// May be used by several threads.
class RemovedSweeps {
 public:
  static constexpr std::size_t kMost = 16;  // that are kept, the last ones

  // Removes the sweep of exactly this name as {"command":"remove","runs":true} says, for a `person` by name
  // or the owner; with "runs" its runs go into the trash. Answers {"removed":..,"runs":N}. Throws Error:
  // usage, and as sweep::remove.
  protocol::Json remove(Store& store, const std::string& name, const std::string& person,
                        const protocol::Json& body);
  // Brings back what was removed last under this name. Answers {"sweep":..}. Throws Error(not_found), and as
  // sweep::restore.
  protocol::Json restore(Store& store, const std::string& name, const std::string& person);

 private:
  std::mutex mutex_;
  std::deque<sweep::RemovedSweep> kept_;  // the last one first
};

}  // namespace batchscope::web
