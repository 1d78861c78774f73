// SPDX-License-Identifier: Apache-2.0
/// \file
/// Several schedules as one (PyTorch's ChainedScheduler): each step steps them all, in order, and their
/// states are one, so that AdaptiveDataParallel saves them with the model.
#pragma once

#include <memory>
#include <vector>

#include "batchscope/train/lr_scheduler.h"

namespace batchscope {

/// Several schedules as one.
class ChainedLR : public StepwiseLR {
 public:
  /// Takes schedules that were all made with this optimizer and not stepped yet. Throws Error(usage) for
  /// none.
  ChainedLR(torch::optim::Optimizer& optimizer, std::vector<std::shared_ptr<StepwiseLR>> schedules);

  std::vector<double> state() const override;
  void restore(const std::vector<double>& state) override;

 private:
  void apply() override;
  double next(double rate, std::size_t group) const override { return rate; }

  std::vector<std::shared_ptr<StepwiseLR>> schedules_;
};

}  // namespace batchscope
