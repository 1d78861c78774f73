// SPDX-License-Identifier: Apache-2.0
//
// A supervisor that has no replicas, in the test's own process: it notes what it is asked, and does it.
#pragma once

#include <QLocalServer>
#include <QLocalSocket>
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "batchscope/protocol/control.h"
#include "batchscope/protocol/paths.h"
#include "store_test.h"

namespace batchscope::testing {

class Supervised {
 public:
  // `of_each`: devices of a replica.
  Supervised(storage::Catalogue& catalogue, const std::string& id, const std::vector<std::string>& devices,
             int of_each = 1)
      : catalogue_(catalogue), of_each_(of_each) {
    const protocol::RunPaths paths = protocol::run_paths(id);
    protocol::make_run_directories(paths);
    catalogue_.claim_supervisor(id);
    status_.run = id;
    status_.rescalable = true;
    take(devices);
    QObject::connect(&server_, &QLocalServer::newConnection, &server_, [this] {
      QLocalSocket* const client = server_.nextPendingConnection();
      clients_.push_back(client);
      QObject::connect(client, &QLocalSocket::readyRead, client, [this, client] {
        while (client->canReadLine()) answer(*client, client->readLine().trimmed().toStdString());
      });
      QObject::connect(client, &QLocalSocket::disconnected, client,
                       [this, client] { std::erase(clients_, client); });
    });
    if (!server_.listen(QString::fromStdString(paths.control_socket.string())))
      qFatal("cannot listen at the control socket");
  }

  // Carries out the newest order that it has not yet.
  void act() {
    take(wanted_);
    tell();
  }

  // Goes to these devices, whatever it was asked.
  void goes_to(const std::vector<std::string>& devices) {
    take(devices);
    tell();
  }

  // Says that it is in this state, whatever it was asked.
  void becomes(protocol::RunState state) {
    status_.state = state;
    tell();
  }

  // "rescale cuda:0,cuda:1 by the pool"
  std::vector<std::string> asked;
  std::function<void()> on_asked;
  bool acts = true;  // at once
  bool refuses = false;
  bool answers = true;

 private:
  void answer(QLocalSocket& client, const std::string& line) {
    using Command = protocol::Request::Command;
    const protocol::Request request = protocol::Request::parse(line);
    if (request.command == Command::subscribe || request.command == Command::status) {
      client.write(QByteArray::fromStdString(protocol::reply_line(request.id, status_)));
      return;
    }
    std::string text = protocol::command_name(request.command);
    for (const std::string& device : request.devices)
      text += (device == request.devices.front() ? " " : ",") + device;
    asked.push_back(text + (request.by_pool ? " by the pool" : ""));
    if (on_asked) on_asked();
    if (!answers) return;
    if (refuses) {
      client.write(QByteArray::fromStdString(
          protocol::error_line(request.id, Error(ErrorKind::conflict, "it is busy"))));
      return;
    }
    if (request.command == Command::stop) catalogue_.set_state(status_.run, RunState::stopped);
    wanted_ = request.devices;
    client.write(QByteArray::fromStdString(protocol::reply_line(request.id, protocol::Json::object())));
    if (acts && request.command != Command::stop) act();
  }

  void tell() {
    for (QLocalSocket* const client : clients_)
      client->write(QByteArray::fromStdString(
          protocol::Json{{"v", protocol::kControlVersion}, {"event", "status"}, {"status", status_}}.dump() +
          "\n"));
  }

  void take(const std::vector<std::string>& devices) {
    const std::string& id = status_.run;
    catalogue_.lease_devices(id, storage::test::always(devices));
    status_.state = devices.empty() ? RunState::paused : RunState::running;
    status_.devices = devices;
    status_.replicas = static_cast<int>(devices.size()) / of_each_;
    status_.max_profiled = std::max(status_.max_profiled, status_.replicas);
    catalogue_.set_state(id, status_.state);
  }

  using RunState = protocol::RunState;

  storage::Catalogue& catalogue_;
  const int of_each_;
  QLocalServer server_;
  std::vector<QLocalSocket*> clients_;
  protocol::RunStatus status_;
  std::vector<std::string> wanted_;
};

}  // namespace batchscope::testing
