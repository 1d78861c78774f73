// SPDX-License-Identifier: Apache-2.0
#include "adapt/recorded.h"

#include <functional>
#include <utility>

#include "process/session.h"

namespace batchscope::replica {
namespace {

struct Sum {
  double value = 0;
  int count = 0;
};
using Recorded = std::map<std::string, Sum, std::less<>>;

}  // namespace

void add_recorded(std::string_view name, double value) {
  auto& recorded = session().part<Recorded>();
  auto found = recorded.find(name);
  if (found == recorded.end()) found = recorded.emplace(name, Sum{}).first;
  found->second.value += value;
  ++found->second.count;
}

std::map<std::string, double> take_recorded() {
  std::map<std::string, double> means;
  for (const auto& [name, sum] : std::exchange(session().part<Recorded>(), {}))
    means[name] = sum.value / sum.count;
  return means;
}

}  // namespace batchscope::replica
