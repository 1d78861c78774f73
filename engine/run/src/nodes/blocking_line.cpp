// SPDX-License-Identifier: Apache-2.0
#include "nodes/blocking_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <QCoreApplication>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "batchscope/http/tls.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/time_outs.h"
#include "nodes/tcp_line.h"
#include "nodes/tls_line.h"

namespace batchscope::run {
namespace {

constexpr char kClosed[] = "its agent has closed it";

class PlainLine final : public BlockingLine {
 public:
  PlainLine(const std::string& address, int port) : descriptor_(connect_tcp_line(address, port)) {}
  ~PlainLine() override { close(descriptor_); }

  int descriptor() const override { return descriptor_; }
  bool has_more() const override { return false; }

  std::string read() override {
    std::string bytes(1 << 16, '\0');
    const ssize_t count = TEMP_FAILURE_RETRY(::read(descriptor_, bytes.data(), bytes.size()));
    if (count == 0) throw Broken{kClosed};
    if (count < 0) throw Broken{std::strerror(errno)};
    bytes.resize(static_cast<std::size_t>(count));
    return bytes;
  }

  void write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t count = TEMP_FAILURE_RETRY(::write(descriptor_, bytes.data(), bytes.size()));
      if (count < 0) throw Broken{std::strerror(errno)};
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }

 private:
  const int descriptor_;
};

// Qt's socket by its blocking calls.
class TlsLine final : public BlockingLine {
 public:
  TlsLine(const std::string& address, int port, const std::string& token) : socket_(make_tls_socket(token)) {
    socket_->setSocketDescriptor(connect_tcp_line(address, port));
    socket_->startClientEncryption();
    constexpr std::chrono::milliseconds kPatience = protocol::time_out::kNodeConnect;
    if (!socket_->waitForEncrypted(static_cast<int>(kPatience.count())))
      throw Error(ErrorKind::io,
                  fmt::format("no connection to {}:{}: {}", address, port, why_no_tls(*socket_)));
  }

  int descriptor() const override { return static_cast<int>(socket_->socketDescriptor()); }
  bool has_more() const override { return socket_->bytesAvailable() > 0; }

  std::string read() override {
    if (!has_more() && !socket_->waitForReadyRead(0) && !stands()) throw Broken{kClosed};
    return socket_->readAll().toStdString();
  }

  void write(std::string_view bytes) override {
    socket_->write(bytes.data(), static_cast<qint64>(bytes.size()));
    while (http::bytes_waiting(*socket_) > 0)
      if (!socket_->waitForBytesWritten(-1)) throw Broken{socket_->errorString().toStdString()};
  }

 private:
  bool stands() const { return socket_->state() == QAbstractSocket::ConnectedState; }

  // Qt asks it for its plugins, and sockets ask it for a thread's data.
  int argc_ = 1;
  char name_[16] = "batchscope-node";
  char* argv_[2] = {name_, nullptr};
  const QCoreApplication application_{argc_, argv_};
  const std::unique_ptr<QSslSocket> socket_;
};

}  // namespace

std::unique_ptr<BlockingLine> connect_blocking_line(const std::string& address, int port,
                                                    const Welcome& welcome) {
  if (welcome.tls) return std::make_unique<TlsLine>(address, port, welcome.token);
  return std::make_unique<PlainLine>(address, port);
}

}  // namespace batchscope::run
