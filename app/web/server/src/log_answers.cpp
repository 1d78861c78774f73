// SPDX-License-Identifier: Apache-2.0
#include "log_answers.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "answer.h"
#include "batchscope/protocol/paths.h"

namespace batchscope::web {
namespace {

using protocol::Json, protocol::LogName;

constexpr long kMostText = 64 << 10;  // bytes of one answer
constexpr long kMostNumber = 1'000'000'000;

std::set<LogName> logs_in(const std::filesystem::path& folder) {
  std::set<LogName> names;
  std::error_code fault;
  for (const auto& entry : std::filesystem::directory_iterator(folder, fault))
    if (const auto name = protocol::parse_log_name(entry.path().filename().native())) names.insert(*name);
  return names;
}

// Returns the number of bytes at the end of the text that begin a character whose other bytes it lacks: 0 to
// 3.
std::size_t unfinished(const std::string& text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0) == 0x80) continue;
    const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

// A regular file that is read from `from` on; what a link leads to is none of ours.
class LogFile {
 public:
  explicit LogFile(const std::filesystem::path& path)
      : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {
    struct stat status {};
    if (fd_ >= 0 && ::fstat(fd_, &status) == 0 && S_ISREG(status.st_mode)) size_ = status.st_size;
  }
  ~LogFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  std::int64_t size() const { return size_; }
  std::string read(std::int64_t from) const {
    std::string text(static_cast<std::size_t>(std::clamp<std::int64_t>(size_ - from, 0, kMostText)), '\0');
    const ssize_t count = text.empty() ? 0 : ::pread(fd_, text.data(), text.size(), from);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    // Half a character waits for its other half.
    if (const std::size_t half_character = unfinished(text); half_character < text.size())
      text.resize(text.size() - half_character);
    return text;
  }

 private:
  const int fd_;
  std::int64_t size_ = 0;
};

}  // namespace

Json log_json(Store& store, const std::string& id, const http::Request& request) {
  store.run(id);
  const protocol::RunPaths paths = protocol::run_paths(id);
  const std::set<LogName> names = logs_in(paths.logs);
  const LogName newest = names.empty() ? LogName() : LogName{names.rbegin()->generation, 0};
  const LogName wanted{static_cast<int>(whole_in(request, "generation", 0, kMostNumber, newest.generation)),
                       static_cast<int>(whole_in(request, "rank", 0, kMostNumber, newest.rank))};
  const std::int64_t from = whole_in(request, "from", 0, INT64_MAX, 0);
  Json files = Json::array();
  for (const LogName& name : names) files.push_back({{"generation", name.generation}, {"rank", name.rank}});
  const bool is_there = names.contains(wanted);
  if (!is_there && !names.empty())
    throw Error(ErrorKind::not_found, "generation " + std::to_string(wanted.generation) +
                                          " has no log of rank " + std::to_string(wanted.rank));
  std::string text;
  std::int64_t size = 0;
  if (is_there) {
    const LogFile file(paths.log_file(wanted.generation, wanted.rank));
    text = file.read(from);
    size = file.size();
  }
  return {{"generation", wanted.generation},
          {"rank", wanted.rank},
          {"next", std::min(from, size) + static_cast<std::int64_t>(text.size())},
          {"size", size},
          {"text", std::move(text)},
          {"files", std::move(files)}};
}

}  // namespace batchscope::web
