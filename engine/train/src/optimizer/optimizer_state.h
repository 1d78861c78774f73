// SPDX-License-Identifier: Apache-2.0
//
// An optimizer in a checkpoint: each group's options (learning rate, momentum, betas ...), which LibTorch's
// own torch::save drops on loading, and each parameter's state under its index, since LibTorch's keys
// (addresses) differ between versions and processes. SGD, Adam, AdamW, RMSprop, Adagrad and Adadelta, also
// sharded: then the states that are there are saved, and those that the replica owns are loaded.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

namespace torch::optim {
class Optimizer;
}

namespace batchscope::train {

class TensorReader;
class TensorWriter;

// Throws Error(usage) for another optimizer than these.
void save_optimizer(const torch::optim::Optimizer& optimizer, TensorWriter& file);

// Throws Error(usage) where the file is of another optimizer or of other groups than this one.
void load_optimizer(torch::optim::Optimizer& optimizer, TensorReader& file);

// The parameters' states alone, all that there are.
void save_states(const torch::optim::Optimizer& optimizer, TensorWriter& file);
// The wanted ones of those that are there.
void load_states(torch::optim::Optimizer& optimizer, TensorReader& file,
                 const std::function<bool(const at::Tensor&)>& wanted);

}  // namespace batchscope::train
