// SPDX-License-Identifier: Apache-2.0
//
// AdaptiveDataParallel over a Python module's tensors.
#include <pybind11/stl.h>
#include <torch/csrc/utils/pybind.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapt/step_context.h"
#include "batchscope/goodput/noise_scale.h"
#include "batchscope/replica/process_group.h"
#include "batchscope/train/adaptive_data_parallel.h"
#include "batchscope/train/grad_scaler.h"
#include "batchscope/train/scaling_rule.h"
#include "bindings.h"
#include "python_optimizer.h"

namespace batchscope::python {

namespace py = pybind11;
using Unlocked = py::call_guard<py::gil_scoped_release>;

namespace {

// A rule that is written in Python: `factors(scale)` gives one factor, or one for each group.
class PythonRule final : public ScalingRule {
 public:
  PythonRule(py::function factors, std::size_t groups) : factors_(std::move(factors)), groups_(groups) {}
  std::vector<double> factors(const Step& step) const override {
    const py::gil_scoped_acquire locked;
    const py::object factors = factors_(step.scale);
    if (py::isinstance<py::sequence>(factors) || py::hasattr(factors, "__len__"))
      return factors.cast<std::vector<double>>();
    return std::vector<double>(groups_, factors.cast<double>());
  }

 private:
  py::function factors_;
  std::size_t groups_;
};

using Named = std::vector<std::pair<std::string, at::Tensor>>;

goodput::NoiseMode noise_mode(const std::string& name) {
  if (name == "adaptdl") return goodput::NoiseMode::adaptdl;
  if (name == "paper") return goodput::NoiseMode::paper;
  if (name == "tracking") return goodput::NoiseMode::tracking;
  throw py::value_error("noise_mode is '" + name + "': use 'adaptdl', 'paper' or 'tracking'");
}

struct Parallel {
  Parallel(const Named& parameters, const Named& buffers, const std::vector<std::vector<at::Tensor>>& groups,
           py::function step, py::object moments, std::shared_ptr<GradScaler> the_scaler,
           AdaptiveDataParallel::Options options)
      : optimizer(groups, std::move(step), std::move(moments)),
        scaler(std::move(the_scaler)),
        adp({parameters, buffers}, optimizer, std::move(options)) {}
  PythonOptimizer optimizer;
  std::shared_ptr<GradScaler> scaler;  // may be null
  AdaptiveDataParallel adp;
};

}  // namespace

void bind_parallel(py::module_& module) {
  py::class_<ScalingRule, std::shared_ptr<ScalingRule>>(module, "ScalingRule");
  const auto rule = [&]<class Rule>(const char* name, std::type_identity<Rule>) {
    return py::class_<Rule, ScalingRule, std::shared_ptr<Rule>>(module, name);
  };
  rule("AdaScale", std::type_identity<AdaScale>()).def(py::init<>());
  rule("AdamScale", std::type_identity<AdamScale>()).def(py::init<>());
  rule("IdentityScale", std::type_identity<IdentityScale>()).def(py::init<>());
  rule("LinearScale", std::type_identity<LinearScale>()).def(py::init<>());
  rule("SqrtScale", std::type_identity<SqrtScale>()).def(py::init<>());
  rule("LEGWScale", std::type_identity<LEGWScale>())
      .def(py::init<double, std::int64_t>(), py::arg("base_warmup_epochs"), py::arg("data_size"));
  rule("PythonRule", std::type_identity<PythonRule>())
      .def(py::init<py::function, std::size_t>(), py::arg("factors"), py::arg("groups"));

  py::class_<GradScaler, std::shared_ptr<GradScaler>>(module, "GradScaler")
      .def(py::init([](double init_scale, double growth_factor, double backoff_factor, int growth_interval) {
             return std::make_shared<GradScaler>(
                 GradScaler::Options{init_scale, growth_factor, backoff_factor, growth_interval});
           }),
           py::arg("init_scale"), py::arg("growth_factor"), py::arg("backoff_factor"),
           py::arg("growth_interval"))
      .def(
          "update", [](GradScaler& self, double new_scale) { self.update(new_scale); }, py::arg("new_scale"))
      .def_property_readonly("state", &GradScaler::state)
      .def("restore", &GradScaler::restore, py::arg("state"));

  py::class_<Parallel>(module, "Parallel")
      .def(py::init([](const Named& parameters, const Named& buffers,
                       const std::vector<std::vector<at::Tensor>>& groups, const py::function& step,
                       const py::object& moments, std::shared_ptr<ScalingRule> scaling_rule, std::string name,
                       const std::string& mode, std::optional<double> smoothing, bool noise_from_examples,
                       std::optional<double> max_factor_growth, const std::shared_ptr<GradScaler>& scaler,
                       std::int64_t bucket_bytes) {
             return std::make_unique<Parallel>(
                 parameters, buffers, groups, step, moments, scaler,
                 AdaptiveDataParallel::Options{.scaling_rule = std::move(scaling_rule),
                                               .name = std::move(name),
                                               .noise_mode = noise_mode(mode),
                                               .smoothing = smoothing,
                                               .noise_from_examples = noise_from_examples,
                                               .max_factor_growth = max_factor_growth,
                                               .scaler = scaler.get(),
                                               .bucket_bytes = bucket_bytes});
           }),
           py::arg("parameters"), py::arg("buffers"), py::arg("groups"), py::arg("step"), py::arg("moments"),
           py::arg("scaling_rule"), py::arg("name"), py::arg("noise_mode"), py::arg("smoothing"),
           py::arg("noise_from_examples"), py::arg("max_factor_growth"), py::arg("scaler"),
           py::arg("bucket_bytes"))
      .def(
          "zero_grad", [](Parallel& self) { self.adp.zero_grad(); }, Unlocked())
      .def(
          "step",
          [](Parallel& self, const std::vector<double>& rates) {
            self.optimizer.set_rates(rates);
            self.adp.step();
          },
          Unlocked(), py::arg("rates"))
      .def(
          "expect_backward", [](Parallel& self) { self.adp.expect_backward(); }, Unlocked())
      .def_property_readonly("require_backward_grad_sync",
                             [](const Parallel&) { return replica::step_context().optimizer_step; })
      .def_property_readonly("gain", [](const Parallel& self) { return self.adp.gain(); })
      .def_property_readonly("lr_factor", [](const Parallel& self) { return self.adp.lr_factor(); })
      .def_property_readonly("progress", [](const Parallel& self) { return self.adp.progress(); })
      .def_property_readonly("accum_scale", [](const Parallel& self) { return self.adp.accum_scale(); })
      .def_property_readonly("accum_count", [](const Parallel& self) { return self.adp.accum_count(); })
      .def(
          "gain_at", [](const Parallel& self, double scale) { return self.adp.noise_scale().gain(scale); },
          py::arg("scale"))
      .def_property_readonly("sqr_by_group",
                             [](const Parallel& self) { return self.adp.noise_scale().sqr_by_group(); })
      .def_property_readonly("var_by_group",
                             [](const Parallel& self) { return self.adp.noise_scale().var_by_group(); })
      .def_property_readonly("grad_sqr", [](const Parallel& self) { return self.adp.noise_scale().sqr(); })
      .def_property_readonly("grad_var", [](const Parallel& self) { return self.adp.noise_scale().var(); });
}

}  // namespace batchscope::python
