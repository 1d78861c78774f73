// SPDX-License-Identifier: Apache-2.0
//
// The tensors of a module, whatever it is made of: its parameters and buffers with their names, in the
// module's own order. The tensors are the module's own.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace torch {
namespace nn {
class Module;
}
namespace jit {
struct Module;
}
}  // namespace torch

namespace batchscope::train {

struct NamedTensor {
  std::string name;
  at::Tensor tensor;
};

struct ModuleTensors {
  std::vector<NamedTensor> parameters, buffers;

  // A tensor that several layers share comes once.
  static ModuleTensors of(const torch::nn::Module& module);
  static ModuleTensors of(const torch::jit::Module& module);

  std::vector<NamedTensor> all() const;  // parameters, then buffers
};

std::vector<at::Tensor> without_names(const std::vector<NamedTensor>& tensors);

}  // namespace batchscope::train
