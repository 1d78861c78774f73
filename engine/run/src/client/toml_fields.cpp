// SPDX-License-Identifier: Apache-2.0
#include "batchscope/run/toml_fields.h"

#include <fmt/core.h>

#include <cmath>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/suggestion.h"

namespace batchscope::run {

toml::table read_toml(const std::filesystem::path& file, const std::string& what) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
    throw Error(ErrorKind::not_found, "there is no " + what + " " + file.string());
  try {
    return toml::parse_file(file.string());
  } catch (const toml::parse_error& e) {
    throw Error(ErrorKind::usage,
                fmt::format("{}:{}: {}", file.string(), e.source().begin.line, e.description()));
  }
}

void TomlFields::fail(const toml::node& at, const std::string& what) const {
  throw Error(ErrorKind::usage, fmt::format("{}:{}: {}", file_.string(), at.source().begin.line, what));
}

void TomlFields::miss(const char* name, const std::string& what) const {
  std::vector<std::string> unread;
  for (const auto& [key, node] : table_)
    if (!known_.contains(std::string(key.str()))) unread.emplace_back(key.str());
  const std::string near = protocol::nearest_word(name, unread);
  if (near.empty()) fail(table_, what);
  fail(*table_.get(near), fmt::format("unknown field '{}'; did you mean {}?", near, name));
}

const toml::node* TomlFields::find(const char* name) {
  known_.insert(name);
  return table_.get(name);
}

std::string TomlFields::text(const char* name) {
  const toml::node* node = find(name);
  if (!node) return {};
  if (const auto value = text_of(name, *node)) return *value;
  fail(*node, fmt::format("field '{}': expected a text in quotes", name));
}

std::string TomlFields::required_text(const char* name) {
  const std::string value = text(name);
  if (!value.empty()) return value;
  if (const toml::node* node = table_.get(name)) fail(*node, fmt::format("field '{}' is empty", name));
  miss(name, fmt::format("field '{}' is missing", name));
}

std::optional<double> TomlFields::number(const char* name) {
  const toml::node* node = find(name);
  if (!node) return std::nullopt;
  const auto value = node->is_number() ? node->value<double>() : std::nullopt;
  if (value && std::isfinite(*value)) return value;
  fail(*node, fmt::format("field '{}': expected a number", name));
}

std::vector<std::string> TomlFields::texts(const char* name) {
  std::vector<std::string> values;
  const toml::node* node = find(name);
  if (!node) return values;
  if (!node->is_array()) fail(*node, fmt::format("field '{}': expected a list of texts", name));
  for (const toml::node& item : *node->as_array()) {
    const auto value = text_of(name, item);
    if (!value) fail(item, fmt::format("field '{}': expected a text in quotes", name));
    values.push_back(*value);
  }
  return values;
}

std::string TomlFields::scalar(const char* name) {
  const toml::node* node = find(name);
  return node ? scalar(name, *node) : std::string();
}

std::vector<std::string> TomlFields::scalars(const char* name) {
  std::vector<std::string> values;
  const toml::node* node = find(name);
  if (!node) return values;
  if (!node->is_array()) fail(*node, fmt::format("field '{}': expected a list in brackets", name));
  for (const toml::node& item : *node->as_array()) values.push_back(scalar(name, item));
  return values;
}

std::string TomlFields::scalar(const char* name, const toml::node& node) const {
  if (const auto value = text_of(name, node)) return *value;
  if (const auto value = node.value_exact<bool>()) return *value ? "true" : "false";
  if (const auto value = node.value_exact<std::int64_t>()) return std::to_string(*value);
  if (const auto value = node.value_exact<double>()) return fmt::format("{}", *value);
  fail(node, fmt::format("field '{}': expected a text, a number, true or false", name));
}

// None where the node is not text.
std::optional<std::string> TomlFields::text_of(const char* name, const toml::node& node) const {
  const auto value = node.value_exact<std::string>();
  if (value && value->find('\0') != std::string::npos)
    fail(node, fmt::format("field '{}': a text cannot hold a NUL (\\u0000): take it out", name));
  return value;
}

void TomlFields::no_others() const {
  const std::vector<std::string> known(known_.begin(), known_.end());
  for (const auto& [key, node] : table_)
    if (const std::string name(key.str()); !known_.contains(name))
      fail(node, fmt::format("unknown field '{}'{}", name, protocol::did_you_mean(name, known)));
}

}  // namespace batchscope::run
