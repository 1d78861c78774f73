// SPDX-License-Identifier: Apache-2.0
/// \file
/// Sums over all samples of a loop, on all replicas, across restarts (AdaptDL's accumulator.py):
///
///     Accumulator sums;
///     for (auto& batch : validation) { sums["correct"] += ...; sums["count"] += batch.size(); }
///     auto total = sums.synchronized();      // collective; then total["correct"] / total["count"]
///     sums.clear();
///
/// After a restart, a synchronized() that was passed before replays the value it had.
#pragma once

#include <map>
#include <memory>
#include <string>

namespace batchscope {

/// Named sums over a loop. Make it, as every collective thing, on all replicas in the same order.
class Accumulator {
 public:
  /// All sums at zero.
  Accumulator();
  ~Accumulator();

  /// This replica's share, for += and -=. Counts are exact up to 2^53.
  double& operator[](const std::string& key);
  void update(const std::map<std::string, double>& values);    ///< adds each
  void subtract(const std::map<std::string, double>& values);  ///< takes each away
  void clear();                                                ///< all sums to zero, of this replica

  /// The sums over all replicas, the same on each. Collective: blocks until every replica has called it.
  std::map<std::string, double> synchronized();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace batchscope
