// SPDX-License-Identifier: Apache-2.0
//
// The chain's state: its own, then the length of each schedule's and that state.
#include "batchscope/train/chained_lr.h"

#include <utility>

#include "batchscope/protocol/error.h"

namespace batchscope {

ChainedLR::ChainedLR(torch::optim::Optimizer& optimizer, std::vector<std::shared_ptr<StepwiseLR>> schedules)
    : StepwiseLR(optimizer), schedules_(std::move(schedules)) {
  if (schedules_.empty()) throw Error(ErrorKind::usage, "ChainedLR: at least one schedule is needed");
}

void ChainedLR::apply() {
  for (const auto& schedule : schedules_) schedule->step();
}

std::vector<double> ChainedLR::state() const {
  std::vector<double> all = StepwiseLR::state();
  for (const auto& schedule : schedules_) {
    const std::vector<double> one = schedule->state();
    all.push_back(static_cast<double>(one.size()));
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

void ChainedLR::restore(const std::vector<double>& state) {
  std::vector<std::vector<double>> parts;
  std::size_t at = 1;
  while (at < state.size() && state[at] >= 0 && state[at] < static_cast<double>(state.size() - at)) {
    const auto begin = state.begin() + static_cast<std::ptrdiff_t>(at) + 1;
    parts.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(state[at]));
    at += 1 + parts.back().size();
  }
  if (at != state.size() || parts.size() != schedules_.size())
    throw Error(ErrorKind::corrupt, "the state is of another chain of learning-rate schedules");
  for (std::size_t i = 0; i < parts.size(); ++i) schedules_[i]->restore(parts[i]);
  StepwiseLR::restore({state.front()});
}

}  // namespace batchscope
