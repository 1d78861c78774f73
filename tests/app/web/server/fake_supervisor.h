// SPDX-License-Identifier: Apache-2.0
//
// A supervisor's end of a run's control socket, as PROTOCOL.md has it, without a run.
#pragma once

#include <QLocalServer>
#include <QLocalSocket>
#include <functional>
#include <string>
#include <vector>

#include "batchscope/protocol/control.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::web {

class FakeSupervisor {
 public:
  // This process is the run's supervisor from now on.
  explicit FakeSupervisor(const std::string& run) : run_(run) {
    storage::Catalogue catalogue(protocol::catalogue_path());
    if (!catalogue.claim_supervisor(run)) qFatal("the run has a supervisor");
    status.run = run;
    status.state = protocol::RunState::running;
    status.replicas = 2;
    protocol::make_run_directories(protocol::run_paths(run));
    QObject::connect(&server_, &QLocalServer::newConnection, &server_, [this] {
      QLocalSocket* socket = server_.nextPendingConnection();
      ++connections;
      QObject::connect(socket, &QLocalSocket::readyRead, socket, [this, socket] {
        while (socket->canReadLine())
          hear(socket, protocol::Request::parse(socket->readLine().toStdString()));
      });
    });
    if (!server_.listen(QString::fromStdString(protocol::run_paths(run).control_socket)))
      qFatal("cannot listen");
  }
  ~FakeSupervisor() { storage::Catalogue(protocol::catalogue_path()).release_supervisor(run_); }

  void tell() {
    const protocol::Json line{{"v", 1}, {"event", "status"}, {"status", status}};
    for (QLocalSocket* socket : subscribers_) socket->write(line.dump().c_str()), socket->write("\n");
  }
  // Leaves as a supervisor that ends.
  void leave() {
    server_.close();
    for (QLocalSocket* socket : std::exchange(subscribers_, {})) socket->disconnectFromServer();
  }

  protocol::RunStatus status;
  int connections = 0;  // so far
  std::vector<protocol::Request> asked;
  // Answers a request that is neither status nor subscribe; throws Error to refuse it.
  std::function<protocol::Json(const protocol::Request&)> on_request;

 private:
  void hear(QLocalSocket* socket, const protocol::Request& request) {
    using Command = protocol::Request::Command;
    if (request.command == Command::subscribe) subscribers_.push_back(socket);
    try {
      protocol::Json result = status;
      if (request.command != Command::subscribe && request.command != Command::status) {
        asked.push_back(request);
        if (on_request) result = on_request(request);
      }
      socket->write(protocol::reply_line(request.id, result).c_str());
    } catch (const Error& error) {
      socket->write(protocol::error_line(request.id, error).c_str());
    }
  }

  const std::string run_;
  QLocalServer server_;
  std::vector<QLocalSocket*> subscribers_;
};

}  // namespace batchscope::web
