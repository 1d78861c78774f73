// SPDX-License-Identifier: Apache-2.0
//
// Python's plain values as JSON values and back: None, bool, int, float, str, bytes, lists, tuples (which
// come back as lists), dicts with str keys, and values with tolist(), such as tensors and arrays. No code is
// sent.
#pragma once

#include <pybind11/pybind11.h>

#include <nlohmann/json.hpp>

namespace batchscope::python {

// Throws TypeError naming the type of anything else.
nlohmann::json to_json(pybind11::handle value);
pybind11::object from_json(const nlohmann::json& json);

}  // namespace batchscope::python
