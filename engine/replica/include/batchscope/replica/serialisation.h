// SPDX-License-Identifier: Apache-2.0
/// \file
/// How values travel between replicas and into checkpoints: whatever nlohmann::json converts (numbers, text,
/// vectors, maps, tuples, and types of one's own with NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE or to_json and
/// from_json) as CBOR (RFC 8949), which keeps whole numbers of 64 bits and every double exactly, NaN too. No
/// code travels, unlike with pickle.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "batchscope/protocol/error.h"

namespace batchscope {

/// nlohmann::json converts it, there and back.
template <class T>
concept Serialisable = requires(const T& value, const nlohmann::json& json) {
  nlohmann::json(value);
  json.template get<T>();
};

/// Returns the value as bytes.
template <Serialisable T>
std::string to_bytes(const T& value) {
  std::string bytes;
  nlohmann::json::to_cbor(nlohmann::json(value), bytes);
  return bytes;
}

/// Returns the value from which to_bytes made these bytes. Throws Error(corrupt) for other bytes.
template <Serialisable T>
T from_bytes(const std::string& bytes) try {
  return nlohmann::json::from_cbor(bytes).template get<T>();
} catch (const nlohmann::json::exception& error) {
  throw Error(ErrorKind::corrupt,
              std::string("these bytes hold no value of the type expected: ") + error.what());
}

}  // namespace batchscope
