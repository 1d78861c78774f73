// SPDX-License-Identifier: Apache-2.0
//
// Runs whose replicas are forked, and their fork servers.
#pragma once

#include <algorithm>
#include <fstream>
#include <vector>

#include "scenario.h"

namespace batchscope::run {

class ForkedRun : public Scenario {
 protected:
  // The children of the supervisor that are not replicas.
  std::vector<ProcessId> servers(const std::string& id) {
    const std::string pid = std::to_string(supervisor(id));
    std::ifstream in("/proc/" + pid + "/task/" + pid + "/children");
    const auto ours = replicas(id);
    std::vector<ProcessId> found;
    for (pid_t child; in >> child;)
      if (std::none_of(ours.begin(), ours.end(), [&](const ProcessId& r) { return r.pid == child; }))
        found.push_back(protocol::identify(child));
    return found;
  }
  // The oldest of them: the others are forked from it, ahead.
  ProcessId the_server(const std::string& id) {
    const auto found = servers(id);
    if (found.empty()) throw Error(ErrorKind::failure, "there is no fork server");
    return *std::min_element(found.begin(), found.end(),
                             [](const auto& a, const auto& b) { return a.start < b.start; });
  }

  std::ptrdiff_t count_told(const std::string& id, const std::string& part) {
    const auto events = catalogue().events(id);
    return std::count_if(events.begin(), events.end(),
                         [&](const auto& event) { return testing::holds(event.text, part); });
  }

  void rescale(const std::string& id, int count) {
    ask(id, protocol::Request::Command::rescale, count);
    VERIFY_RUN(trains(id, count));
  }
};

}  // namespace batchscope::run
