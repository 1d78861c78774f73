// SPDX-License-Identifier: Apache-2.0
//
// The supervisor's end of the telemetry line, for tests: a socket that is listened on, one connection at a
// time.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <QtGlobal>
#include <algorithm>
#include <deque>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "batchscope/protocol/environment.h"
#include "batchscope/protocol/telemetry.h"

namespace batchscope::testing {

class TelemetryListener {
 public:
  explicit TelemetryListener(const std::string& path)
      : path_(path), socket_(socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    if (bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || listen(socket_, 4) != 0)
      qFatal("cannot listen");
  }
  ~TelemetryListener() {
    hang_up();
    close(socket_);
  }

  // Whether somebody waits to be accepted.
  bool is_called() const {
    pollfd line{socket_, POLLIN, 0};
    return poll(&line, 1, 0) > 0;
  }
  void accept() { connection_ = ::accept(socket_, nullptr, nullptr); }
  void hang_up() {
    if (connection_ >= 0) close(std::exchange(connection_, -1));
  }

  // Messages up to one for which `last` holds, or to the end of the line. What came along with it is next.
  std::vector<protocol::Message> read_until(const std::function<bool(const protocol::Message&)>& last) {
    std::vector<protocol::Message> messages;
    while (!lines_.empty() || read_lines()) {
      messages.push_back(protocol::decode(lines_.front()));
      lines_.pop_front();
      if (last(messages.back())) break;
    }
    return messages;
  }
  std::vector<protocol::Message> read_to_goodbye() {
    return read_until([](const auto& message) { return std::holds_alternative<protocol::Goodbye>(message); });
  }

  protocol::Environment environment() const {
    protocol::Environment environment;
    environment.telemetry_socket = path_;
    return environment;
  }

 private:
  // Waits for one at least; false at the end.
  bool read_lines() {
    char block[65536];
    while (lines_.empty()) {
      const ssize_t n = read(connection_, block, sizeof block);
      if (n <= 0) return false;
      std::ranges::copy(splitter_.feed({block, static_cast<std::size_t>(n)}), std::back_inserter(lines_));
    }
    return true;
  }

  std::string path_;
  int socket_, connection_ = -1;
  protocol::LineSplitter splitter_;
  std::deque<std::string> lines_;  // read, and not asked for yet
};

}  // namespace batchscope::testing
