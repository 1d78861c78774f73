// SPDX-License-Identifier: Apache-2.0
//
// The logs of a run's replicas: which there are, the one that a request names, and its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

#include "batchscope/http/request.h"
#include "batchscope/protocol/paths.h"

namespace batchscope::web {

// In the order of generations.
std::set<protocol::LogName> logs_of(const std::string& run);

// Reads `generation=` and `rank=` of the query; the first replica of the newest generation where it does not
// name them. Throws Error(usage), and Error(not_found) where there are logs, but not this one.
protocol::LogName log_in(const http::Request& request, const std::set<protocol::LogName>& logs);

// A regular file; what a link leads to is none of ours. One that is not there is empty.
class LogFile {
 public:
  explicit LogFile(const std::filesystem::path& path);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  // In bytes, when it was opened.
  std::int64_t size() const { return size_; }
  // Reads at most so many bytes from there on; none behind the end.
  std::string read(std::int64_t from, std::size_t most) const;

 private:
  const int fd_;
  std::int64_t size_ = 0;
};

}  // namespace batchscope::web
