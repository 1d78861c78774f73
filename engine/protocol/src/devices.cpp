// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/devices.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/node_name.h"
#include "batchscope/protocol/replicas.h"

namespace batchscope::protocol {
namespace {

constexpr std::string_view kCore = "cpu:", kGpu = "cuda:";
constexpr std::size_t kLongestUuid = 80;  // "MIG-GPU-" and a UUID with the numbers of its instances

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Accepts no leading zeros: a device has one name.
bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 6 && std::all_of(text.begin(), text.end(), is_digit) &&
         (text.front() != '0' || text.size() == 1);
}

bool is_uuid(std::string_view text) {
  const auto fits = [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '/';
  };
  return (text.starts_with("GPU-") || text.starts_with("MIG-")) && text.size() <= kLongestUuid &&
         std::all_of(text.begin(), text.end(), fits);
}

// Takes the node's name off ("n2/cpu:0"); a GPU's UUID may have slashes too, behind its colon.
std::string_view without_node(std::string_view name) {
  const auto slash = name.find('/');
  return slash < name.find(':') && valid_node_name(name.substr(0, slash)) ? name.substr(slash + 1) : name;
}

bool is_device(std::string_view name) {
  name = without_node(name);
  if (name.starts_with(kCore)) return is_number(name.substr(kCore.size()));
  if (!name.starts_with(kGpu)) return false;
  const std::string_view gpu = name.substr(kGpu.size());
  return is_number(gpu) || is_uuid(gpu);
}

}  // namespace

void check_devices(const std::vector<std::string>& devices) {
  if (devices.size() > static_cast<std::size_t>(kMostReplicas))
    throw Error(ErrorKind::usage,
                fmt::format("{} devices; a run takes at most {}", devices.size(), kMostReplicas));
  std::set<std::string_view> seen;
  for (const std::string& device : devices) {
    if (!is_device(device))
      throw Error(ErrorKind::usage,
                  fmt::format("'{}' is not a device: write cpu:N for a core, cuda:N for a GPU", device));
    if (!seen.insert(device).second)
      throw Error(ErrorKind::usage, fmt::format("the device '{}' is named twice", device));
  }
}

void check_device_kind(const std::string& kind) {
  if (kind != "auto" && kind != "cpu" && kind != "cuda" && !kind.starts_with("cuda:"))
    throw Error(ErrorKind::usage, "'" + kind + "' is not one of auto, cpu, cuda, cuda:N");
}

}  // namespace batchscope::protocol
