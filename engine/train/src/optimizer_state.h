// SPDX-License-Identifier: Apache-2.0
//
// An optimizer in an archive: each group's options (learning rate, momentum, betas ...), which LibTorch's own
// torch::save drops on loading, and each parameter's state under its index, since LibTorch's keys (addresses)
// differ between versions and processes. SGD, Adam, AdamW, RMSprop and Adagrad.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace torch::optim {
class Optimizer;
class OptimizerOptions;
class OptimizerParamState;
}  // namespace torch::optim
namespace torch::serialize {
class InputArchive;
class OutputArchive;
}  // namespace torch::serialize

namespace batchscope {

// What there is to save of an optimizer. Its tensors are the optimizer's own, or copies that stay as they are
// while training goes on.
class OptimizerImage {
 public:
  enum class Tensors { shared, copied };
  OptimizerImage(const torch::optim::Optimizer& optimizer, Tensors tensors);
  ~OptimizerImage();
  OptimizerImage(OptimizerImage&&) noexcept;

  void save(torch::serialize::OutputArchive& archive) const;

 private:
  struct Group {
    std::unique_ptr<torch::optim::OptimizerOptions> options;
    std::vector<std::unique_ptr<torch::optim::OptimizerParamState>> states;  // null: none yet
  };
  std::string kind_;
  std::vector<Group> groups_;
};

// Throws Error(usage) where the archive is of another optimizer or of other groups than this one.
void load_optimizer(torch::optim::Optimizer& optimizer, torch::serialize::InputArchive& archive);

}  // namespace batchscope
