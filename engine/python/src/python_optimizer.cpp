// SPDX-License-Identifier: Apache-2.0
#include "python_optimizer.h"

#include <pybind11/stl.h>
#include <torch/csrc/utils/pybind.h>

#include <memory>
#include <utility>

namespace batchscope::python {

namespace py = pybind11;
namespace optim = torch::optim;

namespace {

struct Rate final : optim::OptimizerCloneableOptions<Rate> {
  double get_lr() const override { return rate; }
  void set_lr(const double lr) override { rate = lr; }
  double rate = 0;
};

std::vector<optim::OptimizerParamGroup> with_rates(const std::vector<std::vector<at::Tensor>>& groups) {
  std::vector<optim::OptimizerParamGroup> all;
  for (const auto& parameters : groups) all.push_back(PythonOptimizer::group(parameters));
  return all;
}

}  // namespace

optim::OptimizerParamGroup PythonOptimizer::group(const std::vector<at::Tensor>& parameters) {
  return {parameters, std::make_unique<Rate>()};
}

PythonOptimizer::PythonOptimizer(const std::vector<std::vector<at::Tensor>>& groups, py::function step,
                                 py::object moments)
    : ForeignOptimizer(with_rates(groups), std::make_unique<Rate>()),
      step_(std::move(step)),
      moments_(std::move(moments)),
      has_moments_(!moments_.is_none()) {
  for (const auto& parameters : groups)
    for (const at::Tensor& parameter : parameters)
      index_.emplace(parameter.unsafeGetTensorImpl(), index_.size());
}

void PythonOptimizer::set_rates(const std::vector<double>& rates) {
  for (std::size_t i = 0; i < param_groups().size(); ++i) param_groups()[i].options().set_lr(rates.at(i));
}

at::Tensor PythonOptimizer::step(LossClosure) {
  std::vector<double> rates;
  for (const optim::OptimizerParamGroup& group : param_groups()) rates.push_back(group.options().get_lr());
  const py::gil_scoped_acquire locked;
  step_(rates);
  ++steps_;
  return {};
}

train::SecondMoment PythonOptimizer::second_moment(const at::Tensor& parameter) const {
  if (second_moments_.empty() || fetched_ != steps_) fetch_moments();
  return second_moments_.at(index_.at(parameter.unsafeGetTensorImpl()));
}

void PythonOptimizer::fetch_moments() const {
  const py::gil_scoped_acquire locked;
  second_moments_.clear();
  for (const py::handle moment : moments_()) {
    train::SecondMoment& second = second_moments_.emplace_back();
    if (moment.is_none()) continue;
    const auto fields = moment.cast<py::tuple>();
    second = {fields[0].cast<at::Tensor>(), fields[1].cast<std::int64_t>(), fields[2].cast<double>(),
              fields[3].cast<double>()};
  }
  fetched_ = steps_;
}

}  // namespace batchscope::python
