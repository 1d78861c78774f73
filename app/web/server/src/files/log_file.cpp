// SPDX-License-Identifier: Apache-2.0
#include "files/log_file.h"

#include "answer.h"
#include "batchscope/protocol/error.h"

namespace batchscope::web {
namespace {

using protocol::LogName;

constexpr long kMostNumber = 1'000'000'000;

}  // namespace

std::set<LogName> logs_of(const std::string& run) {
  std::set<LogName> names;
  std::error_code fault;
  for (const auto& entry : std::filesystem::directory_iterator(protocol::run_paths(run).logs, fault))
    if (const auto name = protocol::parse_log_name(entry.path().filename().native())) names.insert(*name);
  return names;
}

LogName log_in(const http::Request& request, const std::set<LogName>& logs) {
  const LogName newest = logs.empty() ? LogName() : LogName{logs.rbegin()->generation, 0};
  const LogName wanted{static_cast<int>(whole_in(request, "generation", 0, kMostNumber, newest.generation)),
                       static_cast<int>(whole_in(request, "rank", 0, kMostNumber, newest.rank))};
  if (!logs.empty() && !logs.contains(wanted))
    throw Error(ErrorKind::not_found, "generation " + std::to_string(wanted.generation) +
                                          " has no log of rank " + std::to_string(wanted.rank));
  return wanted;
}

}  // namespace batchscope::web
