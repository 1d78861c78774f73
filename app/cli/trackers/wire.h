// SPDX-License-Identifier: Apache-2.0
//
// Protocol buffers by hand, as event_file.cpp writes them: a message is fields, each its number and wire type
// as one varint, then its value (https://protobuf.dev/programming-guides/encoding).
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "batchscope/protocol/bytes.h"

namespace batchscope::cli {

struct WireField {
  enum Type { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

  std::uint64_t number = 0;
  std::uint64_t type = varint;
  std::uint64_t integer = 0;   // a varint, or the bits of a fixed one
  std::string_view text = {};  // of type bytes

  bool is(std::uint64_t number, Type type) const { return this->number == number && this->type == type; }
  double real() const {
    return type == fixed32 ? std::bit_cast<float>(static_cast<std::uint32_t>(integer))
                           : std::bit_cast<double>(integer);
  }
};

// Calls visit(field) for each field; false where the message ends within one or is not a message.
template <class Visit>
bool visitFields(std::string_view message, Visit&& visit) {
  while (!message.empty()) {
    const auto key = protocol::take_varint(message);
    if (!key) return false;
    WireField field{*key >> 3, *key & 7};
    if (field.type == WireField::varint || field.type == WireField::bytes) {
      const auto value = protocol::take_varint(message);
      if (!value) return false;
      field.integer = *value;
      if (field.type == WireField::bytes) {
        if (field.integer > message.size()) return false;
        field.text = message.substr(0, field.integer);
        message.remove_prefix(field.integer);
      }
    } else if (field.type == WireField::fixed64 && message.size() >= 8) {
      field.integer = protocol::get<std::uint64_t>(message, 0);
      message.remove_prefix(8);
    } else if (field.type == WireField::fixed32 && message.size() >= 4) {
      field.integer = protocol::get<std::uint32_t>(message, 0);
      message.remove_prefix(4);
    } else {
      return false;
    }
    visit(field);
  }
  return true;
}

}  // namespace batchscope::cli
