// SPDX-License-Identifier: Apache-2.0
#include "files/log_tail.h"

#include <algorithm>
#include <fstream>
#include <string_view>
#include <utility>

namespace batchscope::cli {
namespace {

constexpr std::int64_t kBlock = 64 << 10;  // bytes

}  // namespace

std::map<protocol::LogName, std::filesystem::path> listLogs(const std::filesystem::path& folder) {
  std::map<protocol::LogName, std::filesystem::path> logs;
  std::error_code fault;
  for (const auto& entry : std::filesystem::directory_iterator(folder, fault))
    if (const auto name = protocol::parse_log_name(entry.path().filename().native()))
      logs[*name] = entry.path();
  return logs;
}

LogTail::LogTail(std::filesystem::path file, std::int64_t offset) : file_(std::move(file)), offset_(offset) {}

std::int64_t LogTail::unread() const {
  std::error_code fault;
  const auto size = std::filesystem::file_size(file_, fault);
  return fault ? 0 : std::max<std::int64_t>(0, static_cast<std::int64_t>(size) - offset_);
}

std::int64_t LogTail::skipTo(std::int64_t kept) {
  const std::int64_t skipped = unread() - kept;
  if (skipped <= 0) return 0;
  offset_ += skipped;
  rest_.clear();
  return skipped;
}

bool LogTail::read(const std::function<void(const std::string&)>& print, std::int64_t most) {
  std::int64_t left = std::min(unread(), most);
  std::ifstream in(file_, std::ios::binary);
  in.seekg(offset_);
  std::string block;
  bool any = false;
  while (left > 0) {
    block.resize(static_cast<std::size_t>(std::min(left, kBlock)));
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    const std::int64_t bytes = in.gcount();
    if (bytes <= 0) break;
    offset_ += bytes;
    left -= bytes;
    any = true;
    std::string_view text(block.data(), static_cast<std::size_t>(bytes));
    for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
      rest_ += text.substr(0, end);
      print(rest_);
      rest_.clear();
      text.remove_prefix(end + 1);
    }
    rest_ += text;
  }
  return any;
}

}  // namespace batchscope::cli
