// SPDX-License-Identifier: Apache-2.0
#include "answer.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <sstream>

#include "batchscope/common/say.h"

namespace batchscope::web {
namespace {

using common::say;

int status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage: return 400;
    case ErrorKind::not_found: return 404;
    case ErrorKind::conflict: return 409;
    case ErrorKind::timeout: return 504;
    default: return 500;
  }
}

template <class Number>
std::optional<Number> parsed(const std::string& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

bool is_for_person(const http::Request& head) {
  return head.field("accept").find("text/html") != std::string_view::npos;
}

http::Response json_response(const protocol::Json& json) {
  http::Response response{200, json.dump(-1, ' ', false, protocol::Json::error_handler_t::replace)};
  response.fields = {{"Cache-Control", "no-store"}};
  return response;
}

http::Response error_answer(const Error& error) {
  return http::error_response(status_of(error.kind()), error.what());
}

http::Response complaint_response(const std::map<std::string, std::string>& complaints) {
  std::string text;
  for (const auto& [field, complaint] : complaints)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", field, complaint);
  http::Response refused = json_response({{"error", text}, {"fields", complaints}});
  refused.status = 400;
  return refused;
}

http::Response answer_of(const std::function<http::Response()>& make) try {
  return make();
} catch (const http::Fault& fault) {
  return http::refusal(fault);
} catch (const Error& error) {
  return error_answer(error);
} catch (const std::exception& error) {
  return http::error_response(500, error.what());
}

double number_in(const http::Request& request, const char* name, double otherwise) {
  const auto text = request.value(name);
  if (!text) return otherwise;
  const auto number = parsed<double>(*text);
  if (!number || !std::isfinite(*number))
    throw Error(ErrorKind::usage, fmt::format("{}={} is not a number", name, *text));
  return *number;
}

long whole_in(const http::Request& request, const char* name, long least, long most, long otherwise) {
  const auto text = request.value(name);
  if (!text) return otherwise;
  const auto number = parsed<long>(*text);
  if (!number || *number < least || *number > most)
    throw Error(ErrorKind::usage,
                fmt::format("{}={} is not a whole number from {} to {}", name, *text, least, most));
  return *number;
}

std::vector<std::string> words_in(const http::Request& request, const char* name) {
  std::vector<std::string> words;
  std::istringstream text(request.value(name).value_or(""));
  for (std::string word; std::getline(text, word, ',');)
    if (!word.empty()) words.push_back(word);
  return words;
}

std::string text_in(const protocol::Json& value, const std::string& name) {
  if (!value.is_string()) throw Error(ErrorKind::usage, name + " must be a text");
  return value.get<std::string>();
}

bool truth_in(const protocol::Json& value, const std::string& name) {
  if (!value.is_boolean()) throw Error(ErrorKind::usage, name + " must be true or false");
  return value.get<bool>();
}

int whole_in(const protocol::Json& value, const std::string& name, int least, int most) {
  // As a number of any size: one that is too large must not wrap round.
  if (!value.is_number_integer() || value.get<double>() < least || value.get<double>() > most)
    throw Error(ErrorKind::usage, say("{} must be a whole number from {} to {}", name, least, most));
  return value.get<int>();
}

}  // namespace batchscope::web
