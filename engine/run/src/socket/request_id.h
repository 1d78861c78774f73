// SPDX-License-Identifier: Apache-2.0
//
// The id of the request that an error answers.
#pragma once

#include <string_view>

#include "batchscope/protocol/json.h"

namespace batchscope::run {

// The id of a control request, so that the refusal of one that makes no sense still finds its way: a number
// or a text, else null. Never throws: what cannot be read, or is nested too deep, has no id.
protocol::Json request_id(std::string_view line);

}  // namespace batchscope::run
