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
                "'0' is not a number of replicas: a run has at least 1, and is paused to free its devices: "
                "batchscope pause");
  throw Error(ErrorKind::usage,
              fmt::format("'{}' is not a number of replicas: write a whole number from 1 to "
                          "{}, auto, or MIN-MAX as in 1-4",
                          text, kMostReplicas));
}

}  // namespace

std::string AutoReplicas::text() const {
  if (max != 0) return fmt::format("{}:{}-{}", kAuto, min, max);
  if (min != 1) return fmt::format("{}:{}", kAuto, min);
  return std::string(kAuto);
}

ReplicaCount ReplicaCount::parse(const std::string& text) {
  std::string_view range = text;
  if (range == kAuto) return {{}, AutoReplicas{}};
  if (range.starts_with(kAuto)) {
    if (range[kAuto.size()] != ':') refuse(text);
    range.remove_prefix(kAuto.size() + 1);
  } else if (range.find('-') == std::string_view::npos) {
    const auto number = whole_number(range);
    if (!number) refuse(text);
    return {number, {}};
  }
  const auto dash = range.find('-');
  const auto least = whole_number(range.substr(0, dash));
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
