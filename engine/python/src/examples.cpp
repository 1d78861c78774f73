// SPDX-License-Identifier: Apache-2.0
//
// ExampleNorms of a model that PyTorch's own DistributedDataParallel trains
// (batchscope/torch/ddp_monitor.py).
#include <pybind11/stl.h>
#include <torch/csrc/utils/pybind.h>

#include <vector>

#include "bindings.h"
#include "gradient/example_norms.h"

namespace batchscope::python {

namespace py = pybind11;

using train::ExampleNorms;

void bind_examples(py::module_& module) {
  using Examples = ExampleNorms::Examples;
  py::class_<Examples>(module, "Examples")
      .def_readonly("local", &Examples::local_sqr)
      .def_readonly("total", &Examples::total_sqr)
      .def_readonly("count", &Examples::count)
      .def_readonly("steps", &Examples::steps);
  py::class_<ExampleNorms>(module, "ExampleNorms")
      .def(py::init<std::vector<std::vector<at::Tensor>>, int>(), py::arg("groups"),
           py::arg("interval") = ExampleNorms::kInterval)
      .def("continue_after", &ExampleNorms::continue_after, py::arg("steps"))
      .def("listen", &ExampleNorms::listen)
      .def("forget", &ExampleNorms::forget)
      .def("expect", &ExampleNorms::expect, py::arg("samples"))
      .def("end_pass", &ExampleNorms::end_pass)
      .def("take", &ExampleNorms::take)
      .def_property_readonly("listens", &ExampleNorms::listens);
}

}  // namespace batchscope::python
