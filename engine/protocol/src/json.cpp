// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/json.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <regex>

#include "batchscope/protocol/error.h"

namespace batchscope::protocol {
namespace {

// Far deeper than any message of ours. What prints a value of unlimited depth needs a stack of unlimited
// size.
constexpr int kMostNested = 100;

bool is_nested_too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\')
      ++i;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == '[' || c == '{') && ++depth > kMostNested)
      return true;
    else if (!quoted && (c == ']' || c == '}'))
      --depth;
  }
  return false;
}

constexpr int kNotUtf8 = 316;

// "a number", "an object".
std::string with_article(const std::string& type) {
  if (type == "null") return type;
  const bool vowel = std::string_view("aeiou").find(type.front()) != std::string_view::npos;
  return (vowel ? "an " : "a ") + type;
}

}  // namespace

Json encode_number(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

Json encode_numbers(const std::vector<double>& values) {
  Json array = Json::array();
  for (double value : values) array.push_back(encode_number(value));
  return array;
}

double decode_number(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (json == "inf") return std::numeric_limits<double>::infinity();
  if (json == "-inf") return -std::numeric_limits<double>::infinity();
  throw Error(ErrorKind::usage, "expected a number, \"nan\", \"inf\" or \"-inf\", found " + json.dump());
}

std::vector<double> decode_numbers(const Json& json) {
  if (!json.is_array()) throw Error(ErrorKind::usage, "expected an array of numbers, found " + json.dump());
  std::vector<double> values;
  values.reserve(json.size());
  for (const Json& item : json) values.push_back(decode_number(item));
  return values;
}

Json parse_object(std::string_view line) {
  if (is_nested_too_deep(line))
    throw Error(ErrorKind::usage, fmt::format("malformed JSON: nested deeper than {}", kMostNested));
  Json json;
  try {
    json = Json::parse(line);
  } catch (const Json::exception& e) {
    throw Error(ErrorKind::usage, "malformed JSON: " + fault_text(e));
  }
  if (!json.is_object())
    throw Error(ErrorKind::usage, "expected a JSON object, found " + with_article(json.type_name()));
  return json;
}

// The library's exceptions are told apart by their numbers: https://json.nlohmann.me/home/exceptions/
std::string fault_text(const std::exception& fault) {
  const auto* const json = dynamic_cast<const Json::exception*>(&fault);
  if (json == nullptr) return fault.what();
  if (const auto* const parsing = dynamic_cast<const Json::parse_error*>(&fault))
    return fmt::format("it is not JSON from byte {} on", parsing->byte);
  // Keeps what is behind the bracket of "[json.exception.type_error.302] type must be number, but is string".
  const std::string text = json->what();
  const std::string reason = text.substr(std::min(text.find("] ") + 2, text.size()));
  std::smatch found;
  if (std::regex_match(reason, found, std::regex("type must be (\\w+), but is (\\w+)")))
    return "expected " + with_article(found[1]) + ", found " + with_article(found[2]);
  if (std::regex_match(reason, found, std::regex("key '(.*)' not found")))
    return fmt::format("the field \"{}\" is missing", found[1].str());
  if (std::regex_match(reason, found, std::regex("cannot use .* with (\\w+)")))
    return "expected an object or an array, found " + with_article(found[1]);
  if (json->id == kNotUtf8) return "it holds text that is not UTF-8";
  return "its form is not the expected one";
}

std::vector<std::string> LineSplitter::feed(std::string_view bytes) {
  std::vector<std::string> lines;
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const auto piece = bytes.substr(0, end);
    if (rest_.size() + piece.size() > limit_)
      throw Error(ErrorKind::usage, fmt::format("a line of over {} bytes", limit_));
    rest_.append(piece);
    if (end == std::string_view::npos) break;
    lines.push_back(std::move(rest_));
    rest_.clear();
    bytes.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace batchscope::protocol
