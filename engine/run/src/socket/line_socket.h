// SPDX-License-Identifier: Apache-2.0
//
// One line-by-line connection over a Unix socket, as telemetry and control both use it.
#pragma once

#include <QLocalSocket>
#include <QObject>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "batchscope/protocol/json.h"

namespace batchscope::run {

class LineSocket {
 public:
  LineSocket(std::unique_ptr<QLocalSocket> socket, std::size_t line_limit);

  std::function<void(const std::string& line)> on_line;
  std::function<void()> on_overlong;  // a line beyond the limit: nothing after it can be read
  std::function<void()> on_closed;    // once; the owner may destroy this object later, not within

  QLocalSocket& socket() { return *socket_; }
  void write(const std::string& line);
  // While it is held no line is handed on, and the socket is not read: what it takes by itself is bounded by
  // its setReadBufferSize. Lines go on from the event loop when it is let go.
  void hold(bool held);
  // Reads what has arrived without returning to the event loop.
  void drain();

 private:
  void read();
  void hand_on();

  // Deletes a socket that may be in the midst of one of its own signals, and hears no more of it.
  struct Later {
    void operator()(QLocalSocket* socket) const {
      socket->disconnect();
      socket->deleteLater();
    }
  };
  std::unique_ptr<QLocalSocket, Later> socket_;
  protocol::LineSplitter splitter_;
  std::deque<std::string> waiting_;  // lines that were read before it was held
  bool held_ = false;
  bool broken_ = false;
  QObject alive_;  // nothing is read after it is gone
};

}  // namespace batchscope::run
