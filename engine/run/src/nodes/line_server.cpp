// SPDX-License-Identifier: Apache-2.0
#include "nodes/line_server.h"

#include <unistd.h>

#include <utility>

#include "nodes/tls_line.h"

namespace batchscope::run {

LineServer::LineServer(Welcome welcome) : welcome_(std::move(welcome)) {
  if (welcome_.tls) make_tls_socket(welcome_.token);
}

void LineServer::incomingConnection(qintptr descriptor) {
  if (!welcome_.tls) return QTcpServer::incomingConnection(descriptor);
  std::unique_ptr<QSslSocket> socket = make_tls_socket(welcome_.token);
  if (!socket->setSocketDescriptor(descriptor)) {
    ::close(static_cast<int>(descriptor));
    return;
  }
  socket->startServerEncryption();
  addPendingConnection(socket.release());
}

}  // namespace batchscope::run
