// SPDX-License-Identifier: Apache-2.0
//
// Reading /proc/<pid>/stat, see proc(5): the command in parentheses may hold anything, so fields are
// counted from the last parenthesis; the state is field 3.
#include "batchscope/protocol/process_id.h"

#include <fstream>
#include <optional>
#include <sstream>
#include <string>

namespace batchscope::protocol {
namespace {

constexpr int kStateField = 3;
constexpr int kStartField = 22;

struct Stat {
  char state = 0;
  std::int64_t start = 0;
};

std::optional<Stat> read_stat(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text,
               '\0');  // unlike an iterator, throws nothing where the process ends meanwhile (ESRCH)
  const std::size_t end_of_name = text.rfind(')');
  if (end_of_name == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(end_of_name + 1));
  Stat stat;
  fields >> stat.state;
  std::string skipped;
  for (int field = kStateField + 1; field < kStartField; ++field) fields >> skipped;
  if (!(fields >> stat.start)) return std::nullopt;
  return stat;
}

}  // namespace

ProcessId identify(pid_t pid) {
  const auto stat = read_stat(pid);
  return {pid, stat ? stat->start : 0};
}

bool is_alive(const ProcessId& process) {
  if (process.pid <= 0 || process.start == 0) return false;
  const auto stat = read_stat(process.pid);
  return stat && stat->start == process.start && stat->state != 'Z' && stat->state != 'X';
}

}  // namespace batchscope::protocol
