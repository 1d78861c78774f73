// SPDX-License-Identifier: Apache-2.0
//
// Numbers in files: eight bytes, the least significant first, on every machine.
#pragma once

#include <cstdint>
#include <istream>
#include <ostream>

namespace batchscope::train {

inline void write_number(std::ostream& out, std::uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8) out.put(static_cast<char>(value >> shift));
}

inline std::uint64_t read_number(std::istream& in) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 8)
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(in.get())) << shift;
  return value;
}

}  // namespace batchscope::train
