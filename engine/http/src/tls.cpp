// SPDX-License-Identifier: Apache-2.0
#include "batchscope/http/tls.h"

#include <QSslSocket>

#include "batchscope/protocol/error.h"

namespace batchscope::http {

void require_tls() {
  if (!QSslSocket::supportsSsl())
    throw Error(ErrorKind::failure, "TLS is not available: Qt finds no OpenSSL on this machine");
}

// TLS has a buffer of its own.
qint64 bytes_waiting(const QTcpSocket& socket) {
  const auto* tls = qobject_cast<const QSslSocket*>(&socket);
  return socket.bytesToWrite() + (tls == nullptr ? 0 : tls->encryptedBytesToWrite());
}

}  // namespace batchscope::http
