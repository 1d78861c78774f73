// SPDX-License-Identifier: Apache-2.0
#include "place_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "batchscope/run/node_devices.h"

namespace batchscope::pool {
namespace {

using Devices = std::vector<std::string>;
using Counts = std::map<std::string, std::size_t>;  // of devices, by their nodes

Counts by_node(const Devices& devices) {
  Counts counts;
  for (const std::string& device : devices) ++counts[run::node_of_device(device)];
  return counts;
}

// "n2 and n3"
std::string names(const Counts& counts) {
  std::string text;
  std::size_t left = counts.size();
  for (const auto& [node, count] : counts) {
    text += node.empty() ? "the pool's machine" : node;
    --left;
    if (left > 0) text += left == 1 ? " and " : ", ";
  }
  return text;
}

bool holds(const Counts& all, const Counts& some) {
  return std::all_of(some.begin(), some.end(), [&](const auto& node) { return all.contains(node.first); });
}

}  // namespace

std::string place_text(const Devices& held, const Devices& given, const Devices& all) {
  const Counts from = by_node(held), to = by_node(given), there = by_node(all);
  if (to.empty() || (there.size() == 1 && there.contains(""))) return {};
  const std::string where = names(to);
  const bool grows = holds(to, from), shrinks = holds(from, to);
  std::string text = "on " + where;
  if (grows && shrinks)
    text = "stays on " + where;
  else if (shrinks)
    text = "now only on " + where + (given.size() < held.size() ? "" : ", where all of it has room");
  else if (!grows)
    text = fmt::format("goes from {} to {}{}", names(from), where,
                       holds(there, from) ? "" : ", as a node of it is taken away");
  if (to.size() == 1) return text;
  const bool is_large = std::none_of(there.begin(), there.end(),
                                     [&](const auto& node) { return node.second >= given.size(); });
  return fmt::format("{}, as no node has {} devices{}", text, given.size(), is_large ? "" : " free");
}

}  // namespace batchscope::pool
