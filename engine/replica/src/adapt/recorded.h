// SPDX-License-Identifier: Apache-2.0
//
// The values that were recorded since the last optimizer step, for its row.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace batchscope::replica {

void add_recorded(std::string_view name, double value);
// The mean of each; and they are forgotten.
std::map<std::string, double> take_recorded();

}  // namespace batchscope::replica
