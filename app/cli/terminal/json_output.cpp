// SPDX-License-Identifier: Apache-2.0
#include "terminal/json_output.h"

#include <fmt/core.h>

#include "batchscope/protocol/error.h"
#include "terminal/standard_output.h"

namespace batchscope::cli {

using protocol::Json;

std::string jsonLine(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

void printJson(const Json& json) { show(jsonLine(json)); }

int answer(bool json, const Json& object, const std::string& sentence) {
  if (json)
    printJson(object);
  else
    fmt::print("{}\n", sentence);
  return kExitOk;
}

}  // namespace batchscope::cli
