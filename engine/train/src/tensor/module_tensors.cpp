// SPDX-License-Identifier: Apache-2.0
#include "tensor/module_tensors.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/nn/module.h>

#include <unordered_set>

namespace batchscope::train {

ModuleTensors ModuleTensors::of(const torch::nn::Module& module) {
  ModuleTensors tensors;
  for (const auto& item : module.named_parameters()) tensors.parameters.push_back({item.key(), item.value()});
  for (const auto& item : module.named_buffers()) tensors.buffers.push_back({item.key(), item.value()});
  return tensors;
}

// TorchScript lists a shared tensor under each of its names.
ModuleTensors ModuleTensors::of(const torch::jit::Module& module) {
  ModuleTensors tensors;
  std::unordered_set<c10::TensorImpl*> seen;
  const auto add = [&](std::vector<NamedTensor>& list, const auto& item) {
    if (item.value.defined() && seen.insert(item.value.unsafeGetTensorImpl()).second)
      list.push_back({item.name, item.value});
  };
  for (const auto& item : module.named_parameters()) add(tensors.parameters, item);
  for (const auto& item : module.named_buffers()) add(tensors.buffers, item);
  return tensors;
}

std::vector<NamedTensor> ModuleTensors::all() const {
  std::vector<NamedTensor> all = parameters;
  all.insert(all.end(), buffers.begin(), buffers.end());
  return all;
}

std::vector<at::Tensor> without_names(const std::vector<NamedTensor>& tensors) {
  std::vector<at::Tensor> plain;
  for (const NamedTensor& named : tensors) plain.push_back(named.tensor);
  return plain;
}

}  // namespace batchscope::train
