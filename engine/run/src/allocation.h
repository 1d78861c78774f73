// SPDX-License-Identifier: Apache-2.0
//
// The allocation of a generation: so many replicas, on these devices or on whatever is free.
#pragma once

#include <algorithm>
#include <compare>
#include <string>
#include <utility>
#include <vector>

namespace batchscope::run {

struct Allocation {
  int replicas = 0;                  // 0: nobody has said
  std::vector<std::string> devices;  // by their names, these and no others; empty: any

  Allocation() = default;
  // 0 replicas: one for each `of_each` devices, and one at least. A number alone is an allocation too.
  Allocation(int count, std::vector<std::string> names = {}, int of_each = 1)
      : replicas(count != 0 || names.empty() ? count : std::max(1, static_cast<int>(names.size()) / of_each)),
        devices(std::move(names)) {}

  auto operator<=>(const Allocation&) const = default;
};

std::string allocation_text(const Allocation& allocation);  // "1 replica", "2 replicas (cpu:0, cpu:3)"

}  // namespace batchscope::run
