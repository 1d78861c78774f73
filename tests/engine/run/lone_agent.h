// SPDX-License-Identifier: Apache-2.0
//
// An agent without a supervisor: a test is whoever connects to it.
#pragma once

#include <QProcess>
#include <QTcpSocket>
#include <string>

#include "nodes/messages.h"

namespace batchscope::run {

// Connects a socket to an agent.
inline bool connect_to(const NodeOffer& offer, QTcpSocket& socket) {
  socket.connectToHost(QString::fromStdString(offer.address), static_cast<quint16>(offer.port));
  return socket.waitForConnected(5000);
}

class LoneAgent {
 public:
  static const std::string& token() {
    static const std::string token(64, 'a');
    return token;
  }

  explicit LoneAgent(bool tls = false, const QStringList& options = {}) {
    process_.start(BATCHSCOPE_TEST_BIN "/batchscope-node",
                   QStringList{"serve", "--name", "n2", "--listen", "127.0.0.2"} + options);
    process_.write((encode(Welcome{token(), tls}) + "\n").c_str());
    while (!process_.canReadLine() && process_.waitForReadyRead(10000)) {
    }
    offer_ = decode_offer(process_.readLine().trimmed().toStdString());
  }
  ~LoneAgent() {
    process_.closeWriteChannel();
    process_.waitForFinished(10000);
  }

  const NodeOffer& offer() const { return offer_; }
  QProcess& process() { return process_; }

  // Connects a socket to it, which may want to say more than TCP first.
  bool connect(QTcpSocket& socket) const { return connect_to(offer_, socket); }

  // Returns the agent's answer to these bytes, until it hangs up.
  std::string answer_to(const std::string& bytes) const {
    QTcpSocket socket;
    if (!connect(socket)) return "no connection";
    socket.write(bytes.data(), static_cast<qint64>(bytes.size()));
    while (socket.state() == QTcpSocket::ConnectedState)
      if (!socket.waitForReadyRead(10000) && socket.state() == QTcpSocket::ConnectedState)
        return "it holds the line";
    return socket.readAll().toStdString();
  }

 private:
  QProcess process_;
  NodeOffer offer_;
};

}  // namespace batchscope::run
