// SPDX-License-Identifier: Apache-2.0
//
// The parts of the Python module batchscope._engine. Each adds calls on which the Python code of
// batchscope.torch is built. Users see only that Python code.
#pragma once

#include <pybind11/pybind11.h>

namespace batchscope::python {

void bind_session(pybind11::module_& module);     // process group, records, errors
void bind_loops(pybind11::module_& module);       // epochs, loaders
void bind_texts(pybind11::module_& module);       // loaders over a text
void bind_states(pybind11::module_& module);      // checkpoint states, accumulators
void bind_collective(pybind11::module_& module);  // small values
void bind_parallel(pybind11::module_& module);    // a module in training
void bind_adascale(pybind11::module_& module);    // an optimizer with AdaScale
void bind_sharding(pybind11::module_& module);    // an optimizer with divided state
void bind_examples(pybind11::module_& module);    // gradients' noise from the examples of a batch
void bind_goodput(pybind11::module_& module);     // the performance model

}  // namespace batchscope::python
