// SPDX-License-Identifier: Apache-2.0
//
// The logs of a run's replicas (`logs/g<generation>-r<rank>.log`), read line by line while they grow.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <string>

#include "batchscope/protocol/paths.h"

namespace batchscope::cli {

// Returns the logs that a folder holds now, by generation and rank.
std::map<protocol::LogName, std::filesystem::path> listLogs(const std::filesystem::path& folder);

class LogTail {
 public:
  explicit LogTail(std::filesystem::path file, std::int64_t offset = 0);

  // Hands each line that was completed since the last call to `print`, without its newline. Reads at most
  // `most` bytes, and never beyond the log's size of now. Returns whether there was anything new.
  bool read(const std::function<void(const std::string& line)>& print,
            std::int64_t most = std::numeric_limits<std::int64_t>::max());
  // Returns the last line that was read, while its newline is missing.
  const std::string& rest() const { return rest_; }

  // Returns the bytes of the log that were not read yet.
  std::int64_t unread() const;
  // Skips to the last `kept` bytes of the log. Returns how many unread bytes were skipped.
  std::int64_t skipTo(std::int64_t kept);

 private:
  std::filesystem::path file_;
  std::int64_t offset_;
  std::string rest_;
};

}  // namespace batchscope::cli
