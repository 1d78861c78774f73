// SPDX-License-Identifier: Apache-2.0
#include "nodes/frame_socket.h"

#include "batchscope/protocol/error.h"
#include "nodes/tcp_line.h"

namespace batchscope::run {

FrameSocket::FrameSocket(std::unique_ptr<QTcpSocket> socket, std::size_t longest)
    : socket_(socket.release()), splitter_(longest) {
  socket_->setParent(nullptr);
  if (stands()) watch_tcp_line(static_cast<int>(socket_->socketDescriptor()));
  QObject::connect(socket_.get(), &QTcpSocket::connected, socket_.get(),
                   [this] { watch_tcp_line(static_cast<int>(socket_->socketDescriptor())); });
  QObject::connect(socket_.get(), &QTcpSocket::readyRead, socket_.get(), [this] { read(); });
  QObject::connect(socket_.get(), &QTcpSocket::bytesWritten, socket_.get(), [this] {
    if (on_sent) on_sent();
  });
  // There is no `disconnected` of a connection that never stood.
  QObject::connect(socket_.get(), &QTcpSocket::stateChanged, socket_.get(), [this](auto state) {
    if (state == QAbstractSocket::UnconnectedState && on_closed) on_closed();
  });
}

void FrameSocket::send(FrameKind kind, std::string_view bytes) {
  const std::string frame = encode(kind, bytes);
  if (stands()) socket_->write(frame.data(), static_cast<qint64>(frame.size()));
}

void FrameSocket::close() { socket_->disconnectFromHost(); }

void FrameSocket::refuse(const std::string& why) {
  send(FrameKind::refused, why);
  close();
}

void FrameSocket::read() {
  const QByteArray bytes = socket_->readAll();
  splitter_.feed({bytes.data(), static_cast<std::size_t>(bytes.size())});
  try {
    for (Frame frame; stands() && splitter_.next(frame);) on_frame(frame);
  } catch (const Error& error) {
    refuse(error.what());
  }
}

}  // namespace batchscope::run
