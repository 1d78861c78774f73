// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/node_name.h"
#include "batchscope/protocol/replicas.h"
#include "batchscope/protocol/text.h"

namespace batchscope::protocol {
namespace {

constexpr double kLeastPrice = 1e-6, kMostPrice = 1e9;

void check_command(const char* setting, const std::string& command) {
  if (printable(command) != command)
    throw Error(
        ErrorKind::usage,
        fmt::format("the {} holds a line break or another control character: write it on one line, or "
                    "call a script",
                    setting));
}

// Begins with a scheme, as in RFC 3986: "file://".
bool is_url(const std::string& text) {
  const auto end = text.find("://");
  return end != std::string::npos && end > 0 &&
         std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end),
                     [](unsigned char c) { return std::isalnum(c) || c == '+' || c == '-' || c == '.'; });
}

}  // namespace

void PoolSettings::check() const {
  if (std::find(kPoolPolicies.begin(), kPoolPolicies.end(), policy) == kPoolPolicies.end())
    throw Error(ErrorKind::usage, fmt::format("the pool's policy '{}': expected one of {}", policy,
                                              fmt::join(kPoolPolicies, ", ")));
  if (devices < 0 || devices > kMostReplicas)
    throw Error(ErrorKind::usage,
                fmt::format("{} devices for the pool: expected 1 to {}, or 0 for all there are", devices,
                            kMostReplicas));
  // Written so that a NaN is in no range.
  if (!(turn >= 1 && turn <= 86'400))
    throw Error(ErrorKind::usage, fmt::format("turns of {} s: expected 1 s to a day", turn));
  if (price_per_device_hour != 0 &&
      !(price_per_device_hour >= kLeastPrice && price_per_device_hour <= kMostPrice))
    throw Error(ErrorKind::usage, fmt::format("a price of {} per hour and device: expected 0, or {} to {}",
                                              price_per_device_hour, kLeastPrice, kMostPrice));
  check_command("scale command", scale_command);
  check_command("preempt notice", preempt_notice);
  check_command("command for agents", agents_by);
  check_command("command for nodes", nodes_from);
  if (const auto nodes = parse_node_hosts(agents); nodes.size() >= static_cast<std::size_t>(kMostReplicas))
    throw Error(ErrorKind::usage,
                fmt::format("{} nodes for the pool: expected fewer than {}", nodes.size(), kMostReplicas));
  if (is_url(preempt_notice) && !preempt_notice.starts_with("http://") &&
      !preempt_notice.starts_with("https://"))
    throw Error(ErrorKind::usage,
                fmt::format("the preempt notice '{}' is neither a command nor an address that begins with "
                            "http:// or https://",
                            preempt_notice));
}

}  // namespace batchscope::protocol
