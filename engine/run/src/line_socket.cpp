// SPDX-License-Identifier: Apache-2.0
//
// Lines over a local socket.
#include "line_socket.h"

#include <utility>

#include "batchscope/protocol/error.h"

namespace batchscope::run {

LineSocket::LineSocket(std::unique_ptr<QLocalSocket> socket, std::size_t line_limit)
    : socket_(socket.release()), splitter_(line_limit) {
  socket_->setParent(nullptr);
  QObject::connect(socket_.get(), &QLocalSocket::readyRead, socket_.get(), [this] { read(); });
  QObject::connect(socket_.get(), &QLocalSocket::disconnected, socket_.get(), [this] {
    read();
    if (on_closed) on_closed();
  });
}

void LineSocket::write(const std::string& line) {
  if (socket_->state() == QLocalSocket::ConnectedState)
    socket_->write(line.data(), static_cast<qint64>(line.size()));
}

void LineSocket::drain() {
  while (socket_->state() == QLocalSocket::ConnectedState && socket_->waitForReadyRead(0)) read();
}

void LineSocket::read() {
  const QByteArray bytes = socket_->readAll();
  if (broken_ || bytes.isEmpty()) return;
  try {
    for (const std::string& line : splitter_.feed({bytes.data(), static_cast<std::size_t>(bytes.size())}))
      if (on_line) on_line(line);
  } catch (const Error&) {
    broken_ = true;
    if (on_overlong) on_overlong();
  }
}

}  // namespace batchscope::run
