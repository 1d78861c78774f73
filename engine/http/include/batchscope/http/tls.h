// SPDX-License-Identifier: Apache-2.0
/// \file
/// TLS on sockets of Qt, which loads OpenSSL when it is first needed: what a server of HTTP shares with the
/// lines between nodes (engine/run/NODES.md).
#pragma once

#include <QtGlobal>

class QTcpSocket;

namespace batchscope::http {

/// Throws Error(failure) where Qt finds no OpenSSL. The process must have its QCoreApplication by then, which
/// knows where Qt's plugins are.
void require_tls();

/// Returns the bytes that were written to a socket, with TLS or without, and have not left this process.
qint64 bytes_waiting(const QTcpSocket& socket);

}  // namespace batchscope::http
