// SPDX-License-Identifier: Apache-2.0
//
// ShardedOptimizer around one of torch.optim's optimizers: who owns what, and the exchange of parameters.
// The states are Python's, and so is their way into a checkpoint.
#include <pybind11/stl.h>
#include <torch/csrc/utils/pybind.h>

#include <memory>
#include <string>
#include <vector>

#include "batchscope/train/sharded_optimizer.h"
#include "bindings.h"
#include "device/tensor_group.h"
#include "python_optimizer.h"

namespace batchscope::python {

namespace py = pybind11;
using Unlocked = py::call_guard<py::gil_scoped_release>;

void bind_sharding(py::module_& module) {
  using Sharding = ShardedOptimizer;
  py::class_<Sharding>(module, "Sharding")
      .def(py::init([](const std::vector<std::vector<at::Tensor>>& groups, const py::function& step) {
             return std::make_unique<Sharding>(std::make_unique<PythonOptimizer>(groups, step, py::none()));
           }),
           py::arg("groups"), py::arg("step"))
      .def(
          "step", [](Sharding& self) { self.step(); }, Unlocked())
      .def(
          "add_param_group",
          [](Sharding& self, const std::vector<at::Tensor>& parameters) {
            self.add_param_group(PythonOptimizer::group(parameters));
          },
          py::arg("parameters"))
      .def(
          "own",
          [](const Sharding& self, std::size_t group) {
            return Sharding::unwrap(self).param_groups().at(group).params();
          },
          py::arg("group"))
      .def(
          "broadcast",
          [](const Sharding& self, std::string bytes, int owner) {
            const at::Device device = self.param_groups().front().params().front().device();
            {
              const py::gil_scoped_release unlocked;
              bytes = train::broadcast_bytes(std::move(bytes), owner, device);
            }
            return py::bytes(bytes);
          },
          py::arg("bytes"), py::arg("owner"));
}

}  // namespace batchscope::python
