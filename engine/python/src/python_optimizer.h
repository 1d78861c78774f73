// SPDX-License-Identifier: Apache-2.0
//
// One of torch.optim's optimizers as the engine sees it: parameter groups with learning rates. Its step and
// its state are Python's.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "optimizer/foreign_optimizer.h"

namespace batchscope::python {

class PythonOptimizer final : public train::ForeignOptimizer {
 public:
  // `step(rates)` makes a step at these learning rates, one for each group. `moments()` is None, or gives,
  // for each parameter in the order of the groups, (exp_avg_sq, step, beta2, eps) or None.
  PythonOptimizer(const std::vector<std::vector<at::Tensor>>& groups, pybind11::function step,
                  pybind11::object moments);

  // A group for it.
  static torch::optim::OptimizerParamGroup group(const std::vector<at::Tensor>& parameters);

  // Sets the groups' current learning rates.
  void set_rates(const std::vector<double>& rates);

  // Takes the interpreter's lock.
  at::Tensor step(LossClosure closure = nullptr) override;

  bool has_second_moments() const override { return has_moments_; }
  // Takes the interpreter's lock, once a step.
  train::SecondMoment second_moment(const at::Tensor& parameter) const override;

 private:
  void fetch_moments() const;

  pybind11::function step_;
  pybind11::object moments_;
  bool has_moments_;
  std::unordered_map<c10::TensorImpl*, std::size_t> index_;  // of parameters, over all groups
  std::int64_t steps_ = 0;
  mutable std::int64_t fetched_ = 0;  // after so many steps
  mutable std::vector<train::SecondMoment> second_moments_;
};

}  // namespace batchscope::python
