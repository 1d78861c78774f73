// SPDX-License-Identifier: Apache-2.0
//
// An optimizer in a checkpoint: each group's options (learning rate, momentum, betas ...), which LibTorch's
// own torch::save drops on loading, and each parameter's state under its index, since LibTorch's keys
// (addresses) differ between versions and processes. SGD, Adam, AdamW, RMSprop, Adagrad and Adadelta, also
// sharded: then the states that are there are saved, and those that the replica owns are loaded.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace torch::optim {
class Optimizer;
}

namespace batchscope::train {

class TensorReader;
class TensorWriter;

// The options of each group, by name.
using GroupOptions = std::vector<std::map<std::string, double>>;

// Returns the options as they are now. Empty for a foreign optimizer. Throws Error(usage) for another one
// than these.
GroupOptions options_of(const torch::optim::Optimizer& optimizer);

// `given`: the options as the program has set them at its start. Throws Error(usage) as options_of.
void save_optimizer(const torch::optim::Optimizer& optimizer, const GroupOptions& given, TensorWriter& file);

// An option has the file's value, which schedules may have changed, unless the program has set another one at
// its start than the program that wrote the file, as a fork with other arguments does: then it has that one,
// and the learning rate is the file's times the ratio of the two. Throws Error(usage) where the file is of
// another optimizer or of other groups than this one.
void load_optimizer(torch::optim::Optimizer& optimizer, TensorReader& file);

// The parameters' states alone, all that there are.
void save_states(const torch::optim::Optimizer& optimizer, TensorWriter& file);
// The wanted ones of those that are there.
void load_states(torch::optim::Optimizer& optimizer, TensorReader& file,
                 const std::function<bool(const at::Tensor&)>& wanted);

}  // namespace batchscope::train
