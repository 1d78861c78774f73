// SPDX-License-Identifier: Apache-2.0
#include "nodes/frame_socket.h"

#include "batchscope/http/tls.h"
#include "batchscope/protocol/error.h"
#include "nodes/tcp_line.h"
#include "nodes/tls_line.h"

namespace batchscope::run {

FrameSocket::FrameSocket(std::unique_ptr<QTcpSocket> socket, std::size_t longest)
    : socket_(socket.release()), tls_(qobject_cast<QSslSocket*>(socket_.get())), splitter_(longest) {
  socket_->setParent(nullptr);
  const auto watch = [this] { watch_tcp_line(static_cast<int>(socket_->socketDescriptor())); };
  const auto begin = [this] {
    if (on_connected) on_connected();
  };
  const auto sent = [this] {
    if (on_sent) on_sent();
  };
  if (socket_->state() == QAbstractSocket::ConnectedState) watch();
  QObject::connect(socket_.get(), &QTcpSocket::connected, socket_.get(), watch);
  QObject::connect(socket_.get(), &QTcpSocket::readyRead, socket_.get(), [this] { read(); });
  QObject::connect(socket_.get(), &QTcpSocket::bytesWritten, socket_.get(), sent);
  if (tls_) {
    QObject::connect(tls_, &QSslSocket::connected, tls_, [this] { tls_->startClientEncryption(); });
    QObject::connect(tls_, &QSslSocket::encrypted, tls_, [this, begin] {
      agreed_ = true;
      begin();
    });
    QObject::connect(tls_, &QSslSocket::encryptedBytesWritten, tls_, sent);
  } else {
    QObject::connect(socket_.get(), &QTcpSocket::connected, socket_.get(), begin);
  }
  // There is no `disconnected` of a connection that never stood.
  QObject::connect(socket_.get(), &QTcpSocket::stateChanged, socket_.get(), [this](auto state) {
    if (state == QAbstractSocket::UnconnectedState && on_closed) on_closed();
  });
}

std::int64_t FrameSocket::waiting() const { return http::bytes_waiting(*socket_); }

bool FrameSocket::stands() const {
  return socket_->state() == QAbstractSocket::ConnectedState && (!tls_ || agreed_);
}

std::string FrameSocket::why_not() const { return tls_ && !agreed_ ? why_no_tls(*tls_) : std::string(); }

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
