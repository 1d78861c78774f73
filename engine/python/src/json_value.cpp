// SPDX-License-Identifier: Apache-2.0
#include "json_value.h"

#include <cstdint>
#include <string>

namespace batchscope::python {

namespace py = pybind11;
using Json = nlohmann::json;

Json to_json(py::handle value) {
  if (value.is_none()) return nullptr;
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>();
  if (py::isinstance<py::int_>(value)) return value.cast<std::int64_t>();
  if (py::isinstance<py::float_>(value)) return value.cast<double>();
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  if (py::isinstance<py::bytes>(value)) {
    const auto bytes = value.cast<std::string>();
    return Json::binary({bytes.begin(), bytes.end()});
  }
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) {
    Json list = Json::array();
    for (const py::handle item : value) list.push_back(to_json(item));
    return list;
  }
  if (py::isinstance<py::dict>(value)) {
    Json object = Json::object();
    for (const auto& [key, item] : py::reinterpret_borrow<py::dict>(value)) {
      if (!py::isinstance<py::str>(key)) throw py::type_error("the keys of a dict must be texts");
      object[key.cast<std::string>()] = to_json(item);
    }
    return object;
  }
  if (py::hasattr(value, "tolist")) return to_json(value.attr("tolist")());
  throw py::type_error(std::string("a value of type ") + Py_TYPE(value.ptr())->tp_name +
                       " cannot be sent: only numbers, texts, bytes, lists, dicts, tensors and arrays can");
}

py::object from_json(const Json& json) {
  switch (json.type()) {
    case Json::value_t::boolean: return py::bool_(json.get<bool>());
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned: return py::int_(json.get<std::int64_t>());
    case Json::value_t::number_float: return py::float_(json.get<double>());
    case Json::value_t::string: return py::str(json.get_ref<const std::string&>());
    case Json::value_t::binary: {
      const Json::binary_t& bytes = json.get_binary();
      return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    case Json::value_t::array: {
      py::list list;
      for (const Json& item : json) list.append(from_json(item));
      return list;
    }
    case Json::value_t::object: {
      py::dict dict;
      for (const auto& [key, item] : json.items()) dict[py::str(key)] = from_json(item);
      return dict;
    }
    default: return py::none();
  }
}

}  // namespace batchscope::python
