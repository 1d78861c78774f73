// SPDX-License-Identifier: Apache-2.0
#include "files/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

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

LogFile::LogFile(const std::filesystem::path& path)
    : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {
  struct stat status {};
  if (fd_ >= 0 && ::fstat(fd_, &status) == 0 && S_ISREG(status.st_mode)) size_ = status.st_size;
}

LogFile::~LogFile() {
  if (fd_ >= 0) ::close(fd_);
}

std::string LogFile::read(std::int64_t from, std::size_t most) const {
  std::string text(
      static_cast<std::size_t>(std::clamp<std::int64_t>(size_ - from, 0, static_cast<std::int64_t>(most))),
      '\0');
  const ssize_t count = text.empty() ? 0 : ::pread(fd_, text.data(), text.size(), from);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return text;
}

}  // namespace batchscope::web
