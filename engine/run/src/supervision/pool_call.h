// SPDX-License-Identifier: Apache-2.0
//
// The pool keeps no process for a day on which it has nothing to decide, and may be killed at any time:
// supervisors, who are there as long as anything trains, start it again when they find it missing.
#pragma once

#include <string>

#include "batchscope/storage/catalogue.h"
#include "supervision/tell.h"

namespace batchscope::run {

class PoolCall {
 public:
  PoolCall(storage::Catalogue& catalogue, Tell tell);

  // Each second: calls where there is no pool, less and less often where none stays. Not while replicas are
  // forked: whatever loses its parent at that moment becomes init's. Never throws.
  void check(double now);
  // Starts the pool where it is needed; whether it is. Never throws.
  bool call();

 private:
  storage::Catalogue& catalogue_;
  const Tell tell_;
  double delay_ = 0;  // s, until it is started once more
  double not_before_ = 0;
  std::string told_;  // why it could not be started
};

}  // namespace batchscope::run
