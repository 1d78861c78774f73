// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a server answers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "batchscope/http/request.h"

namespace batchscope::http {

/// Name and value of a field of the head.
using Field = std::pair<std::string, std::string>;

/// An answer, or the head of a stream.
struct Response {
  int status = 200;                       ///< 100 to 599
  std::string body = {};                  ///< any bytes; not sent in answer to a HEAD
  std::string type = "application/json";  ///< of the body
  std::vector<Field> fields = {};         ///< of the head, beside type and length; without line breaks
};

/// Returns the answer for a failure: {"error": "text"}.
Response error_response(int status, const std::string& text);

/// Returns the answer to a request that was refused: the fault's page, or else its text as above.
Response refusal(const Fault& fault);

}  // namespace batchscope::http
