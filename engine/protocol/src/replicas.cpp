// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/replicas.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "batchscope/protocol/error.h"

namespace batchscope::protocol {
namespace {

constexpr std::string_view kAuto = "auto";

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 1 || value > kMostReplicas)
    return {};
  return value;
}

[[noreturn]] void refuse(const std::string& text) {
  if (text == "0")
    throw Error(ErrorKind::usage,
                "'0' is no number of replicas: a run has at least 1, and is paused to free its devices: "
                "batchscope pause");
  throw Error(ErrorKind::usage, fmt::format("'{}' is no number of replicas: write a whole number from 1 to "
                                            "{}, auto, or auto:MIN-MAX as in auto:1-4",
                                            text, kMostReplicas));
}

}  // namespace

std::string AutoReplicas::text() const {
  if (max == 0) return min == 1 ? std::string(kAuto) : std::string(kAuto) + ":" + std::to_string(min);
  return fmt::format("{}:{}-{}", kAuto, min, max);
}

ReplicaCount ReplicaCount::parse(const std::string& text) {
  const std::string_view all = text;
  if (!all.starts_with(kAuto)) {
    const auto number = whole_number(all);
    if (!number) refuse(text);
    return {number, {}};
  }
  const std::string_view range = all.substr(kAuto.size());
  if (range.empty()) return {{}, AutoReplicas{}};
  if (range.front() != ':') refuse(text);
  const auto dash = range.find('-');
  const auto least = whole_number(range.substr(1, dash == std::string_view::npos ? dash : dash - 1));
  const auto most = dash == std::string_view::npos ? 0 : whole_number(range.substr(dash + 1));
  if (!least || !most || (*most != 0 && *most < *least)) refuse(text);
  return {{}, AutoReplicas{*least, *most}};
}

int ReplicaCount::first(int otherwise) const {
  if (number) return *number;
  if (!automatic) return otherwise;
  const int least = std::max(automatic->min, otherwise);
  return automatic->max == 0 ? least : std::min(automatic->max, least);
}

void from_json(const Json& json, ReplicaCount& count) {
  count = ReplicaCount::parse(json.is_string() ? json.get<std::string>() : json.dump());
}

void to_json(Json& json, const AutoReplicas& automatic) { json = automatic.text(); }

void from_json(const Json& json, AutoReplicas& automatic) {
  const auto count = json.get<ReplicaCount>();
  if (!count.automatic) throw Error(ErrorKind::usage, "expected auto or auto:MIN-MAX, found " + json.dump());
  automatic = *count.automatic;
}

}  // namespace batchscope::protocol
