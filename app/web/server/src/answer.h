// SPDX-License-Identifier: Apache-2.0
//
// Helpers that the answers of the API share.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/http/request.h"
#include "batchscope/http/response.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"

namespace batchscope::web {

// Whether a person looks at the answer, in a browser.
bool is_for_person(const http::Request& head);

// 200. Bytes that are not UTF-8 are replaced.
http::Response json_response(const protocol::Json& json);

// 400, 404, 409, 504, 500, with the error's words.
http::Response error_answer(const Error& error);

// 400, with what is wrong by its field: {"error":..,"fields":{"name":..}}.
http::Response complaint_response(const std::map<std::string, std::string>& complaints);

// Returns the result of `make`, or the answer for what it throws.
http::Response answer_of(const std::function<http::Response()>& make);

// Reads a number of the query. Throws Error(usage) that names it where it is not a number or out of bounds;
// `otherwise` where it is not there.
double number_in(const http::Request& request, const char* name, double otherwise);
long whole_in(const http::Request& request, const char* name, long least, long most, long otherwise);
// Words with commas between them.
std::vector<std::string> words_in(const http::Request& request, const char* name);

// Read a value of a body. Throw Error(usage) that names it where it is of another kind or out of bounds.
std::string text_in(const protocol::Json& value, const std::string& name);
bool truth_in(const protocol::Json& value, const std::string& name);
int whole_in(const protocol::Json& value, const std::string& name, int least, int most);

}  // namespace batchscope::web
