// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the fitted model says about a number of replicas: goodput, efficiency and batch size at the best
// configuration, against the run's present operating point (Pollux, OSDI 2021, section 3).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/protocol/telemetry.h"

namespace batchscope::desktop {

struct OperatingPoint {
  int replicas = 0;
  std::int64_t batchSize = 0;
  int accumulation = 0;
  double throughput = 0, efficiency = 0, goodput = 0;
};

// The model at the configuration that the newest samples name; empty where they do not.
std::optional<OperatingPoint> presentPoint(const protocol::Model& model, int replicas,
                                           const std::map<std::string, double>& latest);
// The best configuration on so many replicas; empty where none is feasible.
std::optional<OperatingPoint> bestPoint(const protocol::Model& model, int replicas);

// Throughput, efficiency and goodput over batch sizes from the initial to the largest, evenly in their
// logarithm.
std::vector<OperatingPoint> goodputCurve(const protocol::Model& model, int replicas, int points);

}  // namespace batchscope::desktop
