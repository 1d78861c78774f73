// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>

namespace batchscope::run {

class LogTimes {
 public:
  // Appends an entry where the log has grown since the call before. A disk that refuses costs the entry.
  void note(const std::filesystem::path& log, double time);

 private:
  std::map<std::filesystem::path, std::int64_t> sizes_;
};

}  // namespace batchscope::run
