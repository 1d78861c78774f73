// SPDX-License-Identifier: Apache-2.0
#include "socket/request_id.h"

#include "batchscope/protocol/error.h"

namespace batchscope::run {

protocol::Json request_id(std::string_view line) {
  try {
    const protocol::Json request = protocol::parse_object(line);
    const auto id = request.find("id");
    return id != request.end() && (id->is_number() || id->is_string()) ? *id : protocol::Json();
  } catch (const Error&) {
    return {};
  }
}

}  // namespace batchscope::run
