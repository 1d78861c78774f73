// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "batchscope/protocol/json.h"

namespace batchscope::storage {

// Returns the JSON on one line, as columns hold it; bytes that are not UTF-8 are replaced.
inline std::string text_of(const protocol::Json& json) {
  return json.dump(-1, ' ', false, protocol::Json::error_handler_t::replace);
}

}  // namespace batchscope::storage
