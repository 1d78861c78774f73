// SPDX-License-Identifier: Apache-2.0
//
// The interface of every loader in Python.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>

namespace batchscope::python {

template <class Loader>
pybind11::class_<Loader> loader_class(pybind11::module_& module, const char* name) {
  namespace py = pybind11;
  py::class_<Loader> loader(module, name);
  loader
      .def(
          "autoscale_batch_size",
          [](Loader& self, std::int64_t max_batch_size, std::int64_t minimum, std::int64_t maximum,
             bool accumulation, bool single_gradient) {
            self.autoscale_batch_size(max_batch_size, {minimum, maximum}, accumulation, single_gradient);
          },
          py::arg("max_batch_size"), py::arg("minimum"), py::arg("maximum"), py::arg("accumulation"),
          py::arg("single_gradient"))
      .def(
          "scale_by_replicas",
          [](Loader& self, int micro_batches, bool until_progress) {
            self.scale_by_replicas(micro_batches, until_progress);
          },
          py::arg("micro_batches"), py::arg("until_progress"))
      .def_property_readonly("batch_size", [](const Loader& self) { return self.current_batch_size(); })
      .def_property_readonly("local_batch_size",
                             [](const Loader& self) { return self.current_local_batch_size(); })
      .def_property_readonly("accumulation_steps",
                             [](const Loader& self) { return self.accumulation_steps(); });
  return loader;
}

}  // namespace batchscope::python
