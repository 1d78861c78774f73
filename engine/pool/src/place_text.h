// SPDX-License-Identifier: Apache-2.0
//
// Why a run is on the nodes where it is, in words.
#pragma once

#include <string>
#include <vector>

namespace batchscope::pool {

// A clause on the nodes of the devices that a run is `given`, where it has those that are `held`, and `all`
// are given away; empty where these are of this machine alone, or the run is given none.
std::string place_text(const std::vector<std::string>& held, const std::vector<std::string>& given,
                       const std::vector<std::string>& all);

}  // namespace batchscope::pool
