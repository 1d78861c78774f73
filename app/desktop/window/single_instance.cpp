// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/single_instance.h"

#include <QCryptographicHash>
#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLocalSocket>
#include <QStandardPaths>

namespace batchscope::desktop {
namespace {

constexpr int kPatience = 1000;     // ms
constexpr qint64 kLongest = 65536;  // bytes of a request

QByteArray encoded(const WindowRequest& request) {
  const QJsonObject object{{QStringLiteral("run"), request.run},
                           {QStringLiteral("file"), request.file},
                           {QStringLiteral("demo"), request.demo},
                           {QStringLiteral("arguments"), QJsonArray::fromStringList(request.demoArguments)}};
  return QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n';
}

WindowRequest decoded(const QByteArray& line) {
  const QJsonObject object = QJsonDocument::fromJson(line).object();
  WindowRequest request;
  request.run = object.value(QStringLiteral("run")).toString();
  request.file = object.value(QStringLiteral("file")).toString();
  request.demo = object.value(QStringLiteral("demo")).toBool();
  for (const QJsonValue& value : object.value(QStringLiteral("arguments")).toArray())
    request.demoArguments << value.toString();
  return request;
}

}  // namespace

SingleInstance::SingleInstance(const std::filesystem::path& catalogue, QObject* parent)
    : QObject(parent), server_(this) {
  // Windows of other stores are other windows; a socket's name is short.
  const QByteArray store = QByteArray::fromStdString(std::filesystem::absolute(catalogue).string());
  const QString hash =
      QString::fromLatin1(QCryptographicHash::hash(store, QCryptographicHash::Sha256).toHex().left(16));
  const QDir runtime(QStandardPaths::writableLocation(QStandardPaths::RuntimeLocation));
  name_ = runtime.filePath(QStringLiteral("batchscope-window-%1").arg(hash));
  server_.setSocketOptions(QLocalServer::UserAccessOption);
  connect(&server_, &QLocalServer::newConnection, this, &SingleInstance::take);
}

bool SingleInstance::handOver(const WindowRequest& request) {
  QLocalSocket socket;
  socket.connectToServer(name_);
  if (socket.waitForConnected(kPatience)) {
    socket.write(encoded(request));
    // The answer says that the request was read, not only written.
    if (socket.waitForReadyRead(kPatience)) return true;
  }
  // No window answers under this name, so this process takes it.
  QLocalServer::removeServer(name_);
  server_.listen(name_);
  return false;
}

void SingleInstance::take() {
  while (QLocalSocket* socket = server_.nextPendingConnection()) {
    connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
    connect(socket, &QLocalSocket::readyRead, this, [this, socket] {
      if (!socket->canReadLine()) {
        if (socket->bytesAvailable() > kLongest) socket->abort();
        return;
      }
      const WindowRequest request = decoded(socket->readLine());
      socket->write("ok\n");
      socket->flush();
      Q_EMIT requested(request);
    });
  }
}

}  // namespace batchscope::desktop
