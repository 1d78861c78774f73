// SPDX-License-Identifier: Apache-2.0
//
// Chooses the backend of tensor collectives where nothing was asked for: NCCL where every replica has a GPU
// of its own, on however many machines, else Gloo. Replicas tell by name which GPU they have, since how many
// a machine has and which of them a replica sees is the machine's own affair.
#pragma once

#include <c10/core/Device.h>

#include <string>
#include <vector>

namespace batchscope::train {

// "nccl" or "gloo", for replicas that have these GPUs: gpu_name() of each.
std::string backend_for(const std::vector<std::string>& gpus);

// Returns a name that no other GPU of any machine has, as NCCL tells them apart: by machine and by place on
// its bus. Empty for a device that is not a GPU, and where this LibTorch has no NCCL.
std::string gpu_name(c10::Device device);

}  // namespace batchscope::train
