// SPDX-License-Identifier: Apache-2.0
#include "system/process_table.h"

#include <unistd.h>

#include <fstream>
#include <string>

#include "batchscope/protocol/json.h"
#include "batchscope/protocol/private_files.h"

namespace batchscope::run {
std::vector<pid_t> children() {
  std::vector<pid_t> found;
  std::ifstream in("/proc/self/task/" + std::to_string(getpid()) + "/children");
  for (pid_t pid; in >> pid;) found.push_back(pid);
  return found;
}

void write_replicas(const std::filesystem::path& file, const std::vector<ProcessId>& replicas) {
  protocol::Json json = protocol::Json::array();
  for (const ProcessId& replica : replicas)
    json.push_back({{"pid", replica.pid}, {"started", replica.start}});
  protocol::make_private_file(file);
  std::ofstream(file) << json.dump() << "\n";
}

std::vector<ProcessId> read_replicas(const std::filesystem::path& file) {
  std::vector<ProcessId> replicas;
  std::ifstream in(file);
  try {
    if (in)
      for (const auto& entry : protocol::Json::parse(in))
        replicas.push_back({entry.at("pid").get<pid_t>(), entry.at("started").get<std::int64_t>()});
  } catch (const protocol::Json::exception&) {
    replicas.clear();
  }
  return replicas;
}

}  // namespace batchscope::run
