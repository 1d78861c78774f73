// SPDX-License-Identifier: Apache-2.0
//
// An optimizer in an archive: each group's options (learning rate, momentum, betas ...), which LibTorch's own
// torch::save drops on loading, and each parameter's state under its index, since LibTorch's keys (addresses)
// differ between versions and processes. SGD, Adam, AdamW, RMSprop and Adagrad.
#pragma once

namespace torch::optim {
class Optimizer;
}
namespace torch::serialize {
class InputArchive;
class OutputArchive;
}  // namespace torch::serialize

namespace batchscope {

void save_optimizer(const torch::optim::Optimizer& optimizer, torch::serialize::OutputArchive& archive);

// Throws Error(usage) where the archive is of another optimizer or of other groups than this one.
void load_optimizer(torch::optim::Optimizer& optimizer, torch::serialize::InputArchive& archive);

}  // namespace batchscope
