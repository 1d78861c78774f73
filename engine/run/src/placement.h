// SPDX-License-Identifier: Apache-2.0
//
// How replicas share the machine: cores divided evenly between them, and a GPU each where the run asks
// for CUDA. NCCL refuses two ranks on one GPU, so that more replicas than GPUs run over Gloo, and only where
// the run says --oversubscribe.
#pragma once

#include <string>
#include <vector>

#include "batchscope/protocol/run_spec.h"

namespace batchscope::run {

struct Machine {
  int cores = 1;  // that this process may use
  int gpus = 0;   // that CUDA_VISIBLE_DEVICES lets programs see

  static Machine here();
};

struct Place {
  int threads = 1;
  std::string device = "auto";   // BATCHSCOPE_DEVICE
  std::string backend = "auto";  // BATCHSCOPE_BACKEND
};

struct Placement {
  std::vector<Place> places;  // one for each rank
  std::string warning;        // a sentence, or empty
};

// The run asks for CUDA.
bool uses_gpus(const protocol::RunSpec& spec);

// Throws Error(usage) for fewer than one replica or an unknown device, Error(conflict) for more replicas than
// GPUs.
Placement place(const protocol::RunSpec& spec, int replicas, const Machine& machine);

}  // namespace batchscope::run
