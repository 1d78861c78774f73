// SPDX-License-Identifier: Apache-2.0
//
// Reading /proc, and the record of a run's replicas.
#include "process_table.h"

#include <unistd.h>

#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "batchscope/protocol/json.h"

namespace batchscope::run {
namespace {

struct Stat {
  char state = 0;
  std::uint64_t started = 0;
};

std::optional<Stat> read_stat(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  if (!std::getline(in, text)) return std::nullopt;
  // The name, in parentheses, may hold anything: fields are counted from its end. State is field 3, the
  // start time field 22.
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  Stat stat;
  std::string skipped;
  fields >> stat.state;
  for (int field = 4; field < 22; ++field) fields >> skipped;
  if (!(fields >> stat.started)) return std::nullopt;
  return stat;
}

}  // namespace

ProcessId identify(pid_t pid) {
  const auto stat = read_stat(pid);
  return {pid, stat ? stat->started : 0};
}

bool alive(const ProcessId& process) {
  if (process.pid <= 0 || process.started == 0) return false;
  const auto stat = read_stat(process.pid);
  return stat && stat->started == process.started && stat->state != 'Z' && stat->state != 'X';
}

std::vector<pid_t> children() {
  std::vector<pid_t> found;
  std::ifstream in("/proc/self/task/" + std::to_string(getpid()) + "/children");
  for (pid_t pid; in >> pid;) found.push_back(pid);
  return found;
}

void write_replicas(const std::filesystem::path& file, const std::vector<ProcessId>& replicas) {
  protocol::Json json = protocol::Json::array();
  for (const ProcessId& replica : replicas)
    json.push_back({{"pid", replica.pid}, {"started", replica.started}});
  std::ofstream(file) << json.dump() << "\n";
}

std::vector<ProcessId> read_replicas(const std::filesystem::path& file) {
  std::vector<ProcessId> replicas;
  std::ifstream in(file);
  try {
    if (in)
      for (const auto& entry : protocol::Json::parse(in))
        replicas.push_back({entry.at("pid").get<pid_t>(), entry.at("started").get<std::uint64_t>()});
  } catch (const protocol::Json::exception&) {
    replicas.clear();
  }
  return replicas;
}

}  // namespace batchscope::run
