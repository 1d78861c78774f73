// SPDX-License-Identifier: Apache-2.0
#include "nodes/tls_line.h"

#include <QMessageAuthenticationCode>
#include <QSslCipher>
#include <QSslConfiguration>
#include <QSslPreSharedKeyAuthenticator>

#include "batchscope/http/tls.h"
#include "batchscope/protocol/error.h"

namespace batchscope::run {
namespace {

constexpr char kCipher[] = "ECDHE-PSK-CHACHA20-POLY1305";
constexpr char kIdentity[] = "batchscope";
constexpr char kPurpose[] = "TLS on lines between nodes";  // so that the key tells nothing of the token

QByteArray key_of(const std::string& token) {
  return QMessageAuthenticationCode::hash(kPurpose, QByteArray::fromStdString(token),
                                          QCryptographicHash::Sha256);
}

// Nothing else is spoken, so that nobody in between can have the ends agree on less.
QSslConfiguration configuration() {
  http::require_tls();
  const QSslCipher cipher(kCipher);
  if (cipher.isNull())
    throw Error(ErrorKind::failure, std::string("TLS is not available: OpenSSL here has no ") + kCipher);
  QSslConfiguration tls = QSslConfiguration::defaultConfiguration();
  tls.setProtocol(QSsl::TlsV1_2);
  tls.setCiphers({cipher});
  tls.setPeerVerifyMode(QSslSocket::VerifyNone);  // there is no certificate: the key vouches for the peer
  return tls;
}

}  // namespace

std::unique_ptr<QSslSocket> make_tls_socket(const std::string& token) {
  auto socket = std::make_unique<QSslSocket>();
  socket->setSslConfiguration(configuration());
  QObject::connect(socket.get(), &QSslSocket::preSharedKeyAuthenticationRequired, socket.get(),
                   [key = key_of(token)](QSslPreSharedKeyAuthenticator* authenticator) {
                     authenticator->setIdentity(kIdentity);
                     authenticator->setPreSharedKey(key);
                   });
  return socket;
}

std::string why_no_tls(const QSslSocket& socket) {
  return "the two ends did not agree on TLS, as where one of them has another secret (" +
         socket.errorString().toStdString() + ")";
}

}  // namespace batchscope::run
