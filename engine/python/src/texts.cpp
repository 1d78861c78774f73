// SPDX-License-Identifier: Apache-2.0
//
// Loops over a text.
#include <torch/csrc/utils/pybind.h>

#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "batchscope/train/adaptive_bptt_iterator.h"
#include "bindings.h"
#include "ended_by.h"
#include "loader_class.h"

namespace batchscope::python {

namespace py = pybind11;
using Unlocked = py::call_guard<py::gil_scoped_release>;

namespace {

struct TextLoop {
  std::optional<LoopIterator<TextBatch>> loop;  // until an exception has ended it
};

}  // namespace

void bind_texts(py::module_& module) {
  py::class_<TextLoop>(module, "TextLoop", ended_by_exceptions<TextLoop>())
      .def_property_readonly("done", [](const TextLoop& self) { return *self.loop == std::default_sentinel; })
      .def_property_readonly("batch",
                             [](const TextLoop& self) {
                               const TextBatch& batch = **self.loop;
                               return py::make_tuple(batch.data, batch.target, batch.continues, batch.count);
                             })
      .def(
          "advance", [](TextLoop& self) { ++*self.loop; }, Unlocked());

  using Texts = AdaptiveBPTTIterator;
  loader_class<Texts>(module, "BPTTIterator")
      .def(py::init([](const at::Tensor& tokens, std::int64_t batch_size, std::int64_t bptt_len,
                       bool batch_first, bool drop_last, bool training, std::string name) {
             return std::make_unique<Texts>(tokens, Texts::Options{.batch_size = batch_size,
                                                                   .bptt_len = bptt_len,
                                                                   .batch_first = batch_first,
                                                                   .drop_last = drop_last,
                                                                   .training = training,
                                                                   .name = std::move(name)});
           }),
           Unlocked(), py::arg("tokens"), py::arg("batch_size"), py::arg("bptt_len"), py::arg("batch_first"),
           py::arg("drop_last"), py::arg("training"), py::arg("name"))
      .def(
          "loop", [](Texts& self) { return TextLoop{self.begin()}; }, Unlocked(), py::keep_alive<0, 1>());
}

}  // namespace batchscope::python
