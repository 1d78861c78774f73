// SPDX-License-Identifier: Apache-2.0
//
// Reading /proc/<pid>/stat, see proc(5): the command in parentheses may hold anything, so fields are
// counted from the last parenthesis; the state is field 3.
#include "process.h"

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>

namespace batchscope::storage {
namespace {

constexpr int kStateField = 3;
constexpr int kStartField = 22;

// When the process of this id began; none where there is no living one.
std::optional<std::int64_t> start_of(std::int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t end_of_name = text.rfind(')');
  if (end_of_name == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(end_of_name + 1));
  std::string field;
  for (int number = kStateField; number < kStartField; ++number) {
    fields >> field;
    if (number == kStateField && (field == "Z" || field == "X")) return std::nullopt;
  }
  std::int64_t start = 0;
  if (!(fields >> start)) return std::nullopt;
  return start;
}

}  // namespace

ProcessId this_process() { return {getpid(), start_of(getpid()).value_or(0)}; }

bool is_alive(const ProcessId& process) { return process.pid > 0 && start_of(process.pid) == process.start; }

}  // namespace batchscope::storage
