// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "batchscope/replica/collective.h"
#include "batchscope/replica/serialisation.h"
#include "bindings.h"
#include "json_value.h"

namespace batchscope::python {

namespace py = pybind11;
using nlohmann::json;

namespace {

// Calls Python's function, from where the interpreter's lock is not held.
collective::Combine combine_with(const py::function& function) {
  return [&function](const std::string& left, const std::string& right) {
    const py::gil_scoped_acquire locked;
    return to_bytes(to_json(function(from_json(from_bytes<json>(left)), from_json(from_bytes<json>(right)))));
  };
}

template <class Call>
py::object call(py::handle value, Call what) {
  std::string bytes = to_bytes(to_json(value));
  {
    const py::gil_scoped_release unlocked;
    bytes = what(std::move(bytes));
  }
  return from_json(from_bytes<json>(bytes));
}

}  // namespace

void bind_collective(py::module_& module) {
  module.def(
      "all_reduce",
      [](const std::string& tag, const py::object& value, const py::function& combine) {
        return call(value, [&](std::string bytes) {
          return collective::all_reduce(tag, std::move(bytes), combine_with(combine));
        });
      },
      py::arg("tag"), py::arg("value"), py::arg("combine"));
  module.def(
      "broadcast",
      [](const std::string& tag, const py::object& value) {
        return call(value, [&](std::string bytes) { return collective::broadcast(tag, std::move(bytes)); });
      },
      py::arg("tag"), py::arg("value"));
  module.def(
      "barrier", [](const std::string& tag) { collective::barrier(tag); },
      py::call_guard<py::gil_scoped_release>(), py::arg("tag"));
}

}  // namespace batchscope::python
