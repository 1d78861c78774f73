// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string_view>

#include "batchscope/policy/simulation.h"
#include "scheduler.h"

namespace batchscope::policy {
namespace {

struct Entry {
  std::string_view name;
  bool by_goodput;
  std::unique_ptr<Scheduler> (*make)();
};

constexpr std::array kEntries{
    Entry{"fifo", false, make_fifo},         Entry{"las", false, make_tiresias},
    Entry{"tiresias", false, make_tiresias}, Entry{"optimus", false, make_optimus},
    Entry{"srtf", false, make_srtf},         Entry{"pollux", true, make_pollux},
    Entry{"adaptdl", true, make_adaptdl},    Entry{"sia", true, make_sia},
    Entry{"fair", true, make_fair},          Entry{"fast", true, make_fast},
};

const Entry* find(const std::string& policy) {
  const auto found = std::find_if(kEntries.begin(), kEntries.end(),
                                  [&](const Entry& entry) { return entry.name == policy; });
  return found == kEntries.end() ? nullptr : &*found;
}

}  // namespace

const std::vector<std::string>& policy_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const Entry& entry : kEntries) names.emplace_back(entry.name);
    return names;
  }();
  return kNames;
}

bool schedules_by_goodput(const std::string& policy) {
  const Entry* const entry = find(policy);
  return entry != nullptr && entry->by_goodput;
}

std::unique_ptr<Scheduler> make_scheduler(const std::string& policy) {
  const Entry* const entry = find(policy);
  return entry == nullptr ? nullptr : entry->make();
}

}  // namespace batchscope::policy
