// SPDX-License-Identifier: Apache-2.0
//
// Samples compared bit for bit: one NaN is not another.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "batchscope/storage/samples.h"

namespace batchscope::storage::test {

inline bool same(const Sample& a, const Sample& b) {
  return a.step == b.step && std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value);
}

inline bool same(const std::vector<Sample>& a, const std::vector<Sample>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!same(a[i], b[i])) return false;
  return true;
}

}  // namespace batchscope::storage::test
