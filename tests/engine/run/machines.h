// SPDX-License-Identifier: Apache-2.0
//
// Machines for tests, with as many devices as they need.
#pragma once

#include "batchscope/run/machine.h"

namespace batchscope::run {

inline Machine machine_with(int cores, int gpus) {
  Machine machine;
  for (int i = 0; i < cores; ++i) machine.cores.push_back("cpu:" + std::to_string(i));
  for (int i = 0; i < gpus; ++i) machine.gpus.push_back("cuda:" + std::to_string(i));
  return machine;
}

}  // namespace batchscope::run
