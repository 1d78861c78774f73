// SPDX-License-Identifier: Apache-2.0
#include "socket/line_socket.h"

#include <QTimer>
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

// Not at once: whoever lets it go may be in the midst of a line of it.
void LineSocket::hold(bool held) {
  if (std::exchange(held_, held) && !held) QTimer::singleShot(0, &alive_, [this] { read(); });
}

void LineSocket::drain() {
  while (!held_ && socket_->state() == QLocalSocket::ConnectedState && socket_->waitForReadyRead(0)) read();
}

void LineSocket::read() {
  hand_on();
  while (!held_) {
    const QByteArray bytes = socket_->readAll();
    if (broken_ || bytes.isEmpty()) return;
    try {
      for (std::string& line : splitter_.feed({bytes.data(), static_cast<std::size_t>(bytes.size())}))
        waiting_.push_back(std::move(line));
    } catch (const Error&) {
      broken_ = true;
      if (on_overlong) on_overlong();
      return;
    }
    hand_on();
  }
}

void LineSocket::hand_on() {
  while (!held_ && !waiting_.empty()) {
    const std::string line = std::move(waiting_.front());
    waiting_.pop_front();
    if (on_line) on_line(line);
  }
}

}  // namespace batchscope::run
