// SPDX-License-Identifier: Apache-2.0
//
// Sums over all samples of a loop, on all replicas, across restarts (AdaptDL's accumulator.py):
//
//   Accumulator sums;
//   for (auto& batch : validation) { sums["correct"] += ...; sums["count"] += batch.size(); }
//   auto total = sums.synchronized();      // collective; then total["correct"] / total["count"]
//   sums.clear();
//
// After a restart, a synchronized() that was passed before replays the value it had.
#pragma once

#include <map>
#include <memory>
#include <string>

namespace batchscope {

class Accumulator {
 public:
  Accumulator();
  ~Accumulator();

  double& operator[](const std::string& key);  // this replica's share
  void clear();

  // The sums over all replicas, the same on each. Collective.
  std::map<std::string, double> synchronized();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace batchscope
