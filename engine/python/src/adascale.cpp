// SPDX-License-Identifier: Apache-2.0
//
// AdaScaleOptimizer around one of torch.optim's optimizers.
#include <pybind11/stl.h>
#include <torch/csrc/utils/pybind.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "batchscope/train/adascale.h"
#include "batchscope/train/grad_scaler.h"
#include "bindings.h"
#include "python_optimizer.h"

namespace batchscope::python {

namespace py = pybind11;
using Unlocked = py::call_guard<py::gil_scoped_release>;

namespace {

struct AdaScaled {
  AdaScaled(const std::vector<std::vector<at::Tensor>>& groups, py::function step,
            std::shared_ptr<GradScaler> the_scaler, const AdaScaleOptimizer::Options& options)
      : optimizer(groups, std::move(step), py::none()),
        scaler(std::move(the_scaler)),
        adascale(optimizer, options) {}
  PythonOptimizer optimizer;
  std::shared_ptr<GradScaler> scaler;  // may be null
  AdaScaleOptimizer adascale;
};

}  // namespace

void bind_adascale(py::module_& module) {
  py::class_<AdaScaled>(module, "AdaScaled")
      .def(py::init([](const std::vector<std::vector<at::Tensor>>& groups, const py::function& step,
                       std::optional<int> world_size, std::optional<double> scale,
                       std::optional<double> smoothing, int num_gradients_to_accumulate, bool debias_ewma,
                       bool is_scaled_loss, const std::shared_ptr<GradScaler>& scaler) {
             return std::make_unique<AdaScaled>(
                 groups, step, scaler,
                 AdaScaleOptimizer::Options{scale, smoothing, num_gradients_to_accumulate, debias_ewma,
                                            is_scaled_loss, world_size, scaler.get()});
           }),
           py::arg("groups"), py::arg("step"), py::arg("world_size"), py::arg("scale"), py::arg("smoothing"),
           py::arg("num_gradients_to_accumulate"), py::arg("debias_ewma"), py::arg("is_scaled_loss"),
           py::arg("scaler"))
      .def(
          "zero_grad", [](AdaScaled& self) { self.adascale.zero_grad(); }, Unlocked())
      .def(
          "step",
          [](AdaScaled& self, const std::vector<double>& rates) {
            self.optimizer.set_rates(rates);
            self.adascale.step();
          },
          Unlocked(), py::arg("rates"))
      .def(
          "add_param_group",
          [](AdaScaled& self, const std::vector<at::Tensor>& parameters) {
            self.adascale.add_param_group(PythonOptimizer::group(parameters));
          },
          py::arg("parameters"))
      .def("scale_grad_by_num_grads_to_accum",
           [](AdaScaled& self) { self.adascale.scale_grad_by_num_grads_to_accum(); })
      .def("unhook", [](AdaScaled& self) { self.adascale.unhook(); })
      .def_property_readonly("gain", [](const AdaScaled& self) { return self.adascale.gain(); })
      .def(
          "group_gain", [](const AdaScaled& self, std::size_t group) { return self.adascale.gain(group); },
          py::arg("group"))
      .def_property_readonly("scale", [](const AdaScaled& self) { return self.adascale.scale(); })
      .def(
          "set_scale",
          [](AdaScaled& self, double scale, bool update_estimate) {
            using Change = AdaScaleOptimizer::ScaleChange;
            self.adascale.set_scale(scale, update_estimate ? Change::fairscale : Change::batch_size);
          },
          py::arg("scale"), py::arg("update_estimate"))
      .def_property_readonly("smoothing", [](const AdaScaled& self) { return self.adascale.smoothing(); })
      .def(
          "set_num_gradients_to_accumulate",
          [](AdaScaled& self, int count, bool update_smoothing) {
            self.adascale.set_num_gradients_to_accumulate(count, update_smoothing);
          },
          py::arg("count"), py::arg("update_smoothing"))
      .def_property_readonly("scale_invariant_steps",
                             [](const AdaScaled& self) { return self.adascale.scale_invariant_steps(); })
      .def_property_readonly("state", [](const AdaScaled& self) { return self.adascale.state(); })
      .def(
          "restore", [](AdaScaled& self, const std::vector<double>& state) { self.adascale.restore(state); },
          py::arg("state"));
}

}  // namespace batchscope::python
