// SPDX-License-Identifier: Apache-2.0
#include "batchscope/http/response.h"

#include "batchscope/protocol/json.h"

namespace batchscope::http {

Response error_response(int status, const std::string& text) {
  return {status,
          protocol::Json{{"error", text}}.dump(-1, ' ', false, protocol::Json::error_handler_t::replace)};
}

Response refusal(const Fault& fault) {
  if (fault.page.empty()) return error_response(fault.status, fault.text);
  return {fault.status, fault.page, "text/html; charset=utf-8", {{"Cache-Control", "no-store"}}};
}

}  // namespace batchscope::http
