// SPDX-License-Identifier: Apache-2.0
//
// A TCP connection of frames on the event loop, as an agent and a supervisor have them.
#pragma once

#include <QTcpSocket>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "nodes/frame.h"

namespace batchscope::run {

class FrameSocket {
 public:
  explicit FrameSocket(std::unique_ptr<QTcpSocket> socket, std::size_t longest = kLongestFrame);

  // Called with each frame. An Error that it throws ends the line, with the error as the last word.
  std::function<void(const Frame& frame)> on_frame;
  std::function<void()> on_closed;  // once; the owner may destroy this object later, not within
  std::function<void()> on_sent;    // some of what waited

  void allow(std::size_t longest) { splitter_.allow(longest); }
  void send(FrameKind kind, std::string_view bytes = {});
  // Ends the line when all that was sent has left.
  void close();
  // The last word, and the end of the line.
  void refuse(const std::string& why);
  void abort() { socket_->abort(); }

  std::int64_t waiting() const { return socket_->bytesToWrite(); }
  bool stands() const { return socket_->state() == QAbstractSocket::ConnectedState; }
  QTcpSocket& socket() { return *socket_; }
  const QTcpSocket& socket() const { return *socket_; }

 private:
  void read();

  // It may be in the midst of one of its own signals.
  struct Later {
    void operator()(QTcpSocket* socket) const {
      socket->disconnect();
      socket->deleteLater();
    }
  };
  std::unique_ptr<QTcpSocket, Later> socket_;
  FrameSplitter splitter_;
};

}  // namespace batchscope::run
