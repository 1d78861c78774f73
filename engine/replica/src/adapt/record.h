// SPDX-License-Identifier: Apache-2.0
//
// The values that were recorded since the last optimizer step, for its row.
#pragma once

#include <map>
#include <string>

namespace batchscope {

// The mean of each; and they are forgotten.
std::map<std::string, double> take_recorded();

}  // namespace batchscope
