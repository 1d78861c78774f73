// SPDX-License-Identifier: Apache-2.0
#include "trackers/json_facts.h"

#include <yaml-cpp/yaml.h>

#include <fstream>
#include <iterator>

#include "trackers/number_in.h"

namespace batchscope::cli {
namespace {

using protocol::Json;

constexpr int kDeepest = 32;
constexpr std::uintmax_t kLargestSmallFile = 4u << 20;  // bytes

// An alias may stand for a tree that holds others: what is small as a file is not as a tree.
bool hasAliases(const std::string& text) {
  for (std::size_t at = text.find('*'); at != std::string::npos; at = text.find('*', at + 1))
    if (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '[' || text[at - 1] == '\n')) return true;
  return false;
}

int depthOf(std::string_view text) {
  int depth = 0, deepest = 0;
  for (const char c : text) {
    if (c == '{' || c == '[') deepest = std::max(deepest, ++depth);
    if (c == '}' || c == ']') --depth;
  }
  return deepest;
}

Json jsonOf(const YAML::Node& node, int depth) {
  if (depth > kDeepest) return {};
  if (node.IsScalar()) return node.Scalar();
  Json json;
  if (node.IsSequence()) {
    json = Json::array();
    for (const YAML::Node& item : node) json.push_back(jsonOf(item, depth + 1));
  } else if (node.IsMap()) {
    json = Json::object();
    for (const auto& entry : node)
      if (entry.first.IsScalar()) json[entry.first.Scalar()] = jsonOf(entry.second, depth + 1);
  }
  return json;
}

}  // namespace

std::optional<Json> jsonIn(std::string_view text) {
  if (depthOf(text) > kDeepest) return std::nullopt;
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_discarded()) return json;
  if (const auto number = numberIn(text)) return Json(*number);
  return std::nullopt;
}

std::optional<double> numberOf(const Json& json) {
  if (json.is_number()) return json.get<double>();
  return json.is_string() ? numberIn(json.get_ref<const std::string&>()) : std::nullopt;
}

void visitLeaves(const std::string& name, const Json& json,
                 const std::function<void(const std::string& name, const Json& leaf)>& visit) {
  if (!json.is_object() || json.empty()) return visit(name, json);
  for (const auto& [key, value] : json.items())
    visitLeaves(name.empty() ? key : name + "." + key, value, visit);
}

std::string leafText(const Json& leaf) {
  if (leaf.is_string()) return leaf.get<std::string>();
  return leaf.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Json> yamlIn(const std::string& text) {
  if (text.size() > kLargestSmallFile || hasAliases(text) || depthOf(text) > kDeepest) return std::nullopt;
  try {
    return jsonOf(YAML::Load(text), 0);
  } catch (const YAML::Exception&) {
    return std::nullopt;
  }
}

std::optional<std::string> smallFile(const std::filesystem::path& file) {
  std::error_code fault;
  if (!std::filesystem::is_regular_file(file, fault) ||
      std::filesystem::file_size(file, fault) > kLargestSmallFile || fault)
    return std::nullopt;
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  return in.bad() ? std::nullopt : std::optional(std::move(text));
}

}  // namespace batchscope::cli
