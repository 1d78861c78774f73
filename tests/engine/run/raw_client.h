// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <QtGlobal>
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include "batchscope/protocol/unix_address.h"

namespace batchscope::run {

// A client that does with its socket what it likes.
class RawClient {
 public:
  explicit RawClient(const std::filesystem::path& path) {
    const sockaddr_un address = protocol::unix_address(path);
    if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      qFatal("cannot connect");
  }
  ~RawClient() { close(fd_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  // False where the kernel has no room for it.
  bool send(const std::string& text) const {
    const ssize_t sent = ::send(fd_, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0 && sent < static_cast<ssize_t>(text.size())) qFatal("half a line");
    return sent > 0;
  }
  // Returns what has arrived.
  std::string read() const {
    std::string text;
    std::vector<char> block(1 << 16);
    for (ssize_t size; (size = recv(fd_, block.data(), block.size(), MSG_DONTWAIT)) > 0;)
      text.append(block.data(), static_cast<std::size_t>(size));
    return text;
  }
  // Ends of lines among what has arrived.
  int lines_read() const {
    const std::string text = read();
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  }
  bool is_closed() const {
    char byte;
    const ssize_t size = recv(fd_, &byte, 1, MSG_DONTWAIT | MSG_PEEK);
    return size == 0 || (size < 0 && errno != EAGAIN);
  }

 private:
  const int fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
};

}  // namespace batchscope::run
