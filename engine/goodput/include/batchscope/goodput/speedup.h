// SPDX-License-Identifier: Apache-2.0
/// \file
/// How much faster a run learns on more replicas, each number of them at its best batch size (Pollux, section
/// 4):
///   speedup(nodes, replicas) = goodput at the best batch size / the same for one replica on one node
#pragma once

#include <map>
#include <utility>

#include "batchscope/goodput/model.h"

namespace batchscope::goodput {

class SpeedupFunction {
 public:
  SpeedupFunction(const GoodputFunction& goodput, const Bounds& bounds);

  /// 0 where nothing is feasible, no replicas included; 0 everywhere where one replica is not. Remembers what
  /// it has computed; for use by one thread at a time.
  double operator()(int num_nodes, int num_replicas);

 private:
  GoodputFunction goodput_;
  Bounds bounds_;
  double base_;
  std::map<std::pair<int, int>, double> known_;
};

}  // namespace batchscope::goodput
