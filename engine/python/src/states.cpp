// SPDX-License-Identifier: Apache-2.0
//
// States of a checkpoint that Python saves and loads, and the history of accumulators. The engine calls them
// from wherever it writes, so each takes the interpreter's lock.
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <istream>
#include <iterator>
#include <memory>
#include <ostream>
#include <string>

#include "batchscope/replica/accumulator.h"
#include "batchscope/replica/checkpoint.h"
#include "bindings.h"
#include "json_value.h"

namespace batchscope::python {

namespace py = pybind11;
using nlohmann::json;

namespace {

class State final : public checkpoint::State {
 public:
  // `owner` has sync(), save() -> bytes and load(bytes).
  State(std::string name, py::handle owner) : checkpoint::State(std::move(name)), owner_(owner) {}

  void sync() override {
    const py::gil_scoped_acquire locked;
    owner_.attr("sync")();
  }
  void save(std::ostream& out) override {
    const py::gil_scoped_acquire locked;
    const py::bytes bytes = owner_.attr("_save")();
    out << std::string_view(bytes);
  }
  void load(std::istream& in) override {
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    const py::gil_scoped_acquire locked;
    owner_.attr("_load")(py::bytes(bytes));
  }

 private:
  py::handle owner_;  // which holds this state, and so outlives it
};

}  // namespace

void bind_states(py::module_& module) {
  py::class_<State>(module, "State")
      .def(py::init<std::string, py::handle>(), py::arg("name"), py::arg("owner"))
      .def_property_readonly("name", &State::name);
  module.def(
      "load_state", [](State& state) { return checkpoint::load_state(state); },
      py::call_guard<py::gil_scoped_release>(), py::arg("state"));
  module.def("save_all_states", &checkpoint::save_all_states, py::call_guard<py::gil_scoped_release>(),
             py::arg("reason"));

  py::class_<AccumulatorHistory>(module, "AccumulatorHistory")
      .def(py::init([](const py::function& sums, const py::function& restore) {
             return std::make_unique<AccumulatorHistory>(
                 [sums] {
                   const py::gil_scoped_acquire locked;
                   return to_json(sums());
                 },
                 [restore](const json& by_rank) {
                   const py::gil_scoped_acquire locked;
                   restore(from_json(by_rank));
                 });
           }),
           py::arg("sums"), py::arg("restore"))
      .def_property_readonly("replaying", &AccumulatorHistory::replaying)
      .def_property_readonly("replays_result", &AccumulatorHistory::replays_result)
      .def("pass_clear", &AccumulatorHistory::pass_clear)
      .def("result", [](const AccumulatorHistory& self) { return from_json(self.result()); })
      .def(
          "pass_result", [](AccumulatorHistory& self, py::handle sums) { self.pass_result(to_json(sums)); },
          py::arg("sums"));
}

}  // namespace batchscope::python
