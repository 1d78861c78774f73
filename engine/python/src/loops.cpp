// SPDX-License-Identifier: Apache-2.0
//
// Epochs and loaders. What is collective lets go of the interpreter's lock meanwhile.
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <utility>

#include "batchscope/replica/adaptive_data_loader_helper.h"
#include "batchscope/replica/elastic_sampler.h"
#include "batchscope/replica/epoch.h"
#include "bindings.h"
#include "ended_by.h"
#include "loader_class.h"

namespace batchscope::python {

namespace py = pybind11;
using Unlocked = py::call_guard<py::gil_scoped_release>;

namespace {

struct Epochs {
  EpochRange range;
  bool begun = false;
  EpochRange::Iterator loop;

  int next() {
    if (std::exchange(begun, true))
      ++loop;
    else
      loop = range.begin();
    if (loop == range.end()) throw py::stop_iteration();
    return *loop;
  }
};

struct Loop {
  AdaptiveDataLoaderHelper::Loop loop;
};

}  // namespace

void bind_loops(py::module_& module) {
  py::class_<Epochs>(module, "Epochs", ended_by_exceptions<Epochs>())
      .def(py::init([](int until) {
        return Epochs{remaining_epochs_until(until), false, {}};
      }))
      .def("__iter__", [](py::object self) { return self; })
      .def("__next__", &Epochs::next, Unlocked());
  module.def("current_epoch", &current_epoch);
  module.def("finished_epochs", &finished_epochs, Unlocked());

  py::class_<DataPass, std::shared_ptr<DataPass>>(module, "Pass")
      .def_property_readonly("micro_batches", &DataPass::micro_batches)
      .def("ids", &DataPass::ids, py::arg("number"))
      .def("positions", &DataPass::positions, py::arg("number"));

  py::class_<Loop>(module, "Loop", ended_by_exceptions<Loop>())
      .def_property_readonly("done", [](const Loop& self) { return self.loop.done(); })
      .def_property_readonly("number", [](const Loop& self) { return self.loop.number(); })
      .def_property_readonly(
          "data_pass", [](const Loop& self) { return std::const_pointer_cast<DataPass>(self.loop.pass()); })
      .def(
          "advance", [](Loop& self) { self.loop.advance(); }, Unlocked())
      .def("data_ready", [](Loop& self) { self.loop.data_ready(); });

  using Loader = AdaptiveDataLoaderHelper;
  loader_class<Loader>(module, "Loader")
      .def(py::init([](std::int64_t size, std::int64_t batch_size, bool shuffle, bool drop_last,
                       bool training, std::string name, Loader::Stream stream) {
             return std::make_unique<Loader>(Loader::Options{.size = size,
                                                             .batch_size = batch_size,
                                                             .shuffle = shuffle,
                                                             .drop_last = drop_last,
                                                             .training = training,
                                                             .stream = std::move(stream),
                                                             .name = std::move(name)});
           }),
           Unlocked(), py::arg("size"), py::arg("batch_size"), py::arg("shuffle"), py::arg("drop_last"),
           py::arg("training"), py::arg("name"), py::arg("stream") = Loader::Stream())
      .def_property_readonly("current_index", &Loader::current_index)
      .def_property_readonly("end_index", &Loader::end_index)
      .def(
          "loop", [](Loader& self) { return Loop{self.loop()}; }, Unlocked(), py::keep_alive<0, 1>());

  py::class_<ElasticSampler>(module, "ElasticSampler")
      .def(py::init<std::int64_t, int, int, bool>(), py::arg("dataset_size"), py::arg("num_replicas"),
           py::arg("rank"), py::arg("shuffle"))
      .def("set_epoch", &ElasticSampler::set_epoch, py::arg("epoch"), py::arg("index"))
      .def("length", &ElasticSampler::length)
      .def("indices", &ElasticSampler::indices);
}

}  // namespace batchscope::python
