// SPDX-License-Identifier: Apache-2.0
//
// The values of a step by name, each name once. A row is made in every step and only read through afterwards,
// and its names are few and short: a vector, which allocates once, costs a quarter of what a map does.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace batchscope::replica {

using Row = std::vector<std::pair<std::string, double>>;

// Sets a value, in place of the one that the name has, if any.
inline void set(Row& row, std::string_view name, double value) {
  const auto found =
      std::find_if(row.begin(), row.end(), [&](const auto& named) { return named.first == name; });
  if (found == row.end())
    row.emplace_back(name, value);
  else
    found->second = value;
}

}  // namespace batchscope::replica
