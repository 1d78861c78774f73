// SPDX-License-Identifier: Apache-2.0
/// \file
/// How much faster a run learns on more replicas, each number of them at its best batch size (Pollux, section
/// 4; AdaptDL's speedup.py):
///
///     speedup(nodes, replicas) = goodput at the best batch size / the same for one replica on one node
#pragma once

#include <map>
#include <utility>

#include "batchscope/goodput/model.h"

namespace batchscope::goodput {

/// The speed-up as a function of nodes and replicas, with a memory. For use by one thread at a time.
class SpeedupFunction {
 public:
  /// Makes the speed-up function of this goodput, with batch sizes within these bounds.
  SpeedupFunction(const GoodputFunction& goodput, const Bounds& bounds);

  /// 1 for one replica; 0 where nothing is feasible, no replicas included, and where the ratio is not finite;
  /// 0 everywhere where one replica is not feasible. Never throws for counts; remembers what it has computed.
  double operator()(int num_nodes, int num_replicas);

 private:
  GoodputFunction goodput_;
  Bounds bounds_;
  double base_;
  std::map<std::pair<int, int>, double> known_;
};

}  // namespace batchscope::goodput
