// SPDX-License-Identifier: Apache-2.0
#include "listener.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QFile>
#include <QSslCertificate>
#include <QSslKey>
#include <QSslSocket>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "batchscope/http/tls.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/unix_address.h"

namespace batchscope::http {
namespace {

namespace fs = std::filesystem;

QByteArray contents(const fs::path& path) {
  QFile file(QString::fromStdString(path.string()));
  if (!file.open(QIODevice::ReadOnly))
    throw Error(ErrorKind::io, "cannot read " + path.string() + ": " + file.errorString().toStdString());
  return file.readAll();
}

QSslKey read_key(const fs::path& path) {
  const QByteArray pem = contents(path);
  for (const auto algorithm : {QSsl::Ec, QSsl::Rsa})
    if (const QSslKey key(pem, algorithm); !key.isNull()) return key;
  throw Error(ErrorKind::usage,
              path.string() + " holds no private key in PEM, RSA or EC, without a passphrase");
}

QSslConfiguration tls_of(const Address& address) {
  require_tls();
  const QList<QSslCertificate> chain = QSslCertificate::fromData(contents(address.certificate));
  if (chain.isEmpty())
    throw Error(ErrorKind::usage, address.certificate.string() + " holds no certificate in PEM");
  QSslConfiguration tls = QSslConfiguration::defaultConfiguration();
  tls.setLocalCertificateChain(chain);
  tls.setPrivateKey(read_key(address.key));
  tls.setPeerVerifyMode(QSslSocket::VerifyNone);  // clients show a token, no certificate
  tls.setProtocol(QSsl::TlsV1_2OrLater);
  return tls;
}

// Insists on a folder that nobody else may write into: others could put a socket of their own there, and be
// sent the token.
void insist_on_own_folder(const fs::path& folder) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) return protocol::make_private_directory(folder, "--socket");
  if (status.st_uid != ::geteuid() || (status.st_mode & 0077) != 0)
    throw Error(ErrorKind::usage, folder.string() +
                                      " is open to other users: put the socket into a folder of your own "
                                      "(chmod 700)");
}

// Returns whether a process listens there; the socket that a dead one left behind refuses.
bool is_listened_at(const sockaddr_un& address) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const bool listening =
      ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 || errno == EAGAIN;
  ::close(fd);
  return listening;
}

}  // namespace

Listener::Listener(const Address& address) {
  setMaxPendingConnections(1);  // beyond the server's own; reading of more pauses by itself
  setListenBacklogSize(SOMAXCONN);
  if (!address.certificate.empty()) tls_ = tls_of(address);
  if (address.socket.empty())
    listen_at_port(address);
  else
    listen_at_socket(fs::absolute(address.socket));
}

Listener::~Listener() {
  if (!socket_.empty()) ::unlink(socket_.c_str());
}

void Listener::listen_at_port(const Address& address) {
  const QHostAddress host(QString::fromStdString(address.host));
  if (host.isNull())
    throw Error(ErrorKind::usage,
                "'" + address.host + "' is not an address: give a number, such as 127.0.0.1");
  if (listen(host, address.port)) return;
  const std::string place = address.host + ", port " + std::to_string(address.port);
  if (serverError() == QAbstractSocket::AddressInUseError)
    throw Error(ErrorKind::conflict,
                "another process listens at " + place + ": give another port; 0 is any free one");
  throw Error(ErrorKind::io, "cannot listen on " + place + ": " + errorString().toStdString());
}

void Listener::listen_at_socket(const fs::path& path) {
  const sockaddr_un address = protocol::unix_address(path);
  insist_on_own_folder(path.parent_path());
  if (is_listened_at(address))
    throw Error(ErrorKind::conflict, "another process listens at " + path.string());
  ::unlink(path.c_str());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  // Nobody can connect between bind and listen, which is when the mode is set.
  if (fd < 0 || ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::chmod(path.c_str(), 0600) != 0 || ::listen(fd, SOMAXCONN) != 0 || !setSocketDescriptor(fd)) {
    const int error = errno;
    if (fd >= 0) ::close(fd);
    throw Error(ErrorKind::io, "cannot listen on " + path.string() + ": " + std::strerror(error));
  }
  socket_ = path;
}

void Listener::incomingConnection(qintptr descriptor) {
  if (!tls_) return QTcpServer::incomingConnection(descriptor);
  auto socket = std::make_unique<QSslSocket>(this);
  if (!socket->setSocketDescriptor(descriptor)) {
    ::close(static_cast<int>(descriptor));
    return;
  }
  socket->setSslConfiguration(*tls_);
  socket->startServerEncryption();
  addPendingConnection(socket.release());
}

}  // namespace batchscope::http
