// SPDX-License-Identifier: Apache-2.0
//
// The listening side of a server: a port, with TLS or without, or a Unix socket. All of them hand out
// QTcpSockets, which is what QLocalSocket is underneath too. A TLS connection is handed out before its
// handshake, so that whoever never shakes hands is bounded as any other stranger.
#pragma once

#include <QSslConfiguration>
#include <QTcpServer>
#include <optional>

#include "batchscope/http/settings.h"

namespace batchscope::http {

class Listener : public QTcpServer {
 public:
  // Throws as Server's constructor (server.h).
  explicit Listener(const Address& address);

  // 0 for a Unix socket, of which Qt would read one out of its path.
  std::uint16_t port() const { return socket_.empty() ? serverPort() : 0; }
  ~Listener() override;

 protected:
  void incomingConnection(qintptr descriptor) override;

 private:
  void listen_at_port(const Address& address);
  void listen_at_socket(const std::filesystem::path& path);

  std::optional<QSslConfiguration> tls_;
  std::filesystem::path socket_;  // to be removed
};

}  // namespace batchscope::http
