// SPDX-License-Identifier: Apache-2.0
//
// A TCP connection of frames on the event loop, as an agent and a supervisor have them, with TLS or without.
#pragma once

#include <QSslSocket>
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
  std::function<void()> on_connected;  // where this end connects: frames can be sent
  std::function<void()> on_closed;     // once; the owner may destroy this object later, not within
  std::function<void()> on_sent;       // some of what waited

  void allow(std::size_t longest) { splitter_.allow(longest); }
  void send(FrameKind kind, std::string_view bytes = {});
  // Ends the line when all that was sent has left.
  void close();
  // The last word, and the end of the line.
  void refuse(const std::string& why);
  void abort() { socket_->abort(); }

  std::int64_t waiting() const;
  bool stands() const;
  // Why it never stood: a clause for people; empty where it did, or where the other end closed it.
  std::string why_not() const;
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
  QSslSocket* const tls_;  // the same one; null: without TLS
  bool agreed_ = false;    // on TLS
  FrameSplitter splitter_;
};

}  // namespace batchscope::run
