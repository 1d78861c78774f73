// SPDX-License-Identifier: Apache-2.0
//
// The state of AdaptiveDataParallel in a checkpoint: the module's parameters and buffers, the optimizer, the
// schedule, the gradient scaler, the noise scale with what the last step made of it, how often examples were
// asked, the previous gradient and the order of gradients. One file of tensors and numbers (tensor_file.h).
#pragma once

#include <optional>
#include <string>

#include "batchscope/replica/checkpoint.h"
#include "optimizer/optimizer_state.h"
#include "tensor/module_tensors.h"

namespace batchscope {
class GradScaler;
class LRScheduler;
namespace goodput {
class NoiseScale;
}
}  // namespace batchscope

namespace batchscope::train {

class ExampleNorms;
class GradientSync;

struct LastStep {
  double gain = 1, lr_factor = 1;
  double scale = 0;  // 0: not known
};

class TrainingState : public checkpoint::State {
 public:
  struct Parts {
    const ModuleTensors& module;
    torch::optim::Optimizer& optimizer;
    LRScheduler* scheduler;  // may be null
    GradScaler* scaler;      // may be null
    goodput::NoiseScale& noise;
    std::optional<ExampleNorms>& examples;
    GradientSync& gradients;
    LastStep& last_step;
  };
  TrainingState(const std::string& name, const Parts& parts)
      : State(name), parts_(parts), given_options_(options_of(parts.optimizer)) {}

  void sync() override;
  void save(std::ostream& out) override;
  Writer snapshot() override;
  // Throws Error(usage) naming the first thing in which the program differs from the checkpoint.
  void load(std::istream& in) override;

 private:
  Parts parts_;
  GroupOptions given_options_;
};

}  // namespace batchscope::train
