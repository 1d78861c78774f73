// SPDX-License-Identifier: Apache-2.0
//
// A client that says just what a test wants said.
#pragma once

#include <QTcpSocket>
#include <QTest>
#include <cstdint>
#include <memory>

namespace batchscope::testing {

inline constexpr int kPatience = 20000;  // ms

inline std::unique_ptr<QTcpSocket> connected(std::uint16_t port) {
  auto socket = std::make_unique<QTcpSocket>();
  socket->connectToHost(QHostAddress::LocalHost, port);
  return socket;
}

// All that the server says until it closes.
inline QByteArray answer(QTcpSocket& socket) {
  QByteArray all;
  (void)QTest::qWaitFor(
      [&] {
        all += socket.readAll();
        return socket.state() == QAbstractSocket::UnconnectedState;
      },
      kPatience);
  return all;
}

// Returns the server's bytes up to these words.
inline QByteArray until(QTcpSocket& socket, const QByteArray& words) {
  QByteArray all;
  (void)QTest::qWaitFor(
      [&] {
        all += socket.readAll();
        return all.contains(words);
      },
      kPatience);
  return all;
}

inline QByteArray exchange(std::uint16_t port, const QByteArray& request) {
  const auto socket = connected(port);
  socket->write(request);
  return answer(*socket);
}

inline int status(const QByteArray& answer) { return answer.split(' ').value(1).toInt(); }
inline QByteArray body(const QByteArray& answer) { return answer.mid(answer.indexOf("\r\n\r\n") + 4); }

}  // namespace batchscope::testing
