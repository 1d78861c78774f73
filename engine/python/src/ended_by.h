// SPDX-License-Identifier: Apache-2.0
//
// A loop that is left by `break` counts as finished, one that is left by an exception does not (epoch.h,
// adaptive_data_loader_helper.h). In C++ its destructor asks std::uncaught_exceptions(). In Python the loop
// is an iterator, which the interpreter drops while the exception is set. A generator would not work: the
// interpreter hides the exception from it.
#pragma once

#include <pybind11/pybind11.h>

#include <utility>

namespace batchscope::python {

// Drops what `loop` holds, as an exception would.
template <class Loop>
void drop_by_exception(Loop& loop) {
  struct Exception {};
  try {
    const Loop dropped = std::exchange(loop, {});
    throw Exception();
  } catch (const Exception&) {
  }
}

// Sets up a class_ of T, which has a member `loop`: objects that Python drops while an exception is set drop
// their loop by an exception.
template <class T>
pybind11::custom_type_setup ended_by_exceptions() {
  return pybind11::custom_type_setup([](PyHeapTypeObject* type) {
    static const destructor dealloc = type->ht_type.tp_base->tp_dealloc;  // its own is not set yet
    type->ht_type.tp_dealloc = [](PyObject* self) {
      if (PyErr_Occurred()) {
        const pybind11::error_scope kept;
        drop_by_exception(pybind11::handle(self).cast<T&>().loop);
      }
      dealloc(self);
    };
  });
}

}  // namespace batchscope::python
