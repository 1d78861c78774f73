// SPDX-License-Identifier: Apache-2.0
#include "batchscope/http/server.h"

#include <QSslSocket>
#include <QTimer>
#include <algorithm>
#include <list>

#include "connection.h"
#include "listener.h"

namespace batchscope::http {
namespace {

using namespace std::chrono_literals;

constexpr auto kRetry = 500ms;  // when descriptors have run out

}  // namespace

bool Stream::send(std::string_view bytes) const {
  const auto connection = connection_.lock();
  return connection && connection->send(bytes);
}

void Stream::when_taken(std::function<void()> then) const {
  if (const auto connection = connection_.lock()) connection->when_taken(std::move(then));
}

bool Stream::open() const {
  const auto connection = connection_.lock();
  return connection && connection->open();
}

void Stream::close() const {
  if (const auto connection = connection_.lock()) connection->close();
}

void Stream::abort() const {
  if (const auto connection = connection_.lock()) connection->abort();
}

void Reply::operator()(const Response& response) const {
  if (const auto connection = connection_.lock()) connection->answer(response);
}

Stream Reply::stream(const Response& head, std::function<void()> on_closed) const {
  const auto connection = connection_.lock();
  const bool began = connection && connection->begin_stream(head, std::move(on_closed));
  return Stream(began ? connection_ : std::weak_ptr<Connection>());
}

struct Server::Impl {
  using Connections = std::list<std::shared_ptr<Connection>>;

  Impl(Server& owner, const Address& address, const Limits& most)
      : server(owner), limits(most), listener(address) {
    QObject::connect(&listener, &QTcpServer::newConnection, &listener, [this] { accept(); });
    QObject::connect(&listener, &QTcpServer::acceptError, &listener, [this] {
      QTimer::singleShot(kRetry, &listener, [this] { listener.resumeAccepting(); });
    });
  }

  std::size_t streams() const {
    return static_cast<std::size_t>(
        std::count_if(connections.begin(), connections.end(),
                      [](const auto& connection) { return connection->streams(); }));
  }

  void accept() {
    while (listener.hasPendingConnections() &&
           (connections.size() - streams() < limits.connections || make_room()))
      adopt(listener.nextPendingConnection());
  }

  // False where each connection keeps its place.
  bool make_room() {
    const auto silent = std::find_if(connections.begin(), connections.end(), [](const auto& connection) {
      return !connection->streams() && !connection->keeps_its_place();
    });
    if (silent == connections.end()) return false;
    const auto evicted = *silent;
    connections.erase(silent);
    evicted->give_way();
    return true;
  }

  void adopt(QTcpSocket* socket) {
    const auto connection =
        connections.emplace_back(std::make_shared<Connection>(socket, limits, server.fields));
    connection->on_head = [this](const Request& head) {
      if (server.on_head) server.on_head(head);
    };
    connection->on_stream = [this] { return streams() < limits.streams; };
    // The list owns the connection; its own handlers must not.
    const std::weak_ptr<Connection> weak = connection;
    const auto alive = [weak](auto act) {
      return [weak, act] {
        if (const auto connection = weak.lock()) act(connection);
      };
    };
    QObject::connect(socket, &QTcpSocket::readyRead, socket, alive([this](const auto& c) { read(c); }));
    const auto written = alive([](const auto& c) { c->written(); });
    QObject::connect(socket, &QTcpSocket::bytesWritten, socket, written);
    if (auto* tls = qobject_cast<QSslSocket*>(socket))
      QObject::connect(tls, &QSslSocket::encryptedBytesWritten, socket, written);
    QObject::connect(&connection->deadline(), &QTimer::timeout, socket,
                     alive([](const auto& c) { c->time_out(); }));
    QObject::connect(
        socket, &QTcpSocket::disconnected, &listener, [this] { sweep(); }, Qt::QueuedConnection);
    read(connection);  // what came before anybody listened for it
  }

  void read(const std::shared_ptr<Connection>& connection) {
    const Reply reply{std::weak_ptr<Connection>(connection)};
    try {
      if (const auto request = connection->read()) server.on_request(*request, reply);
    } catch (const Fault& fault) {
      reply(refusal(fault));
    }
  }

  // Destroys the connections that have closed, and takes those that waited.
  void sweep() {
    Connections closed;
    for (auto each = connections.begin(); each != connections.end();) {
      const auto here = each++;
      if ((*here)->socket().state() == QAbstractSocket::UnconnectedState)
        closed.splice(closed.end(), connections, here);
    }
    for (const auto& connection : closed) connection->gone();
    accept();
  }

  Server& server;
  const Limits limits;
  Listener listener;
  Connections connections;
};

Server::Server(const Address& address, const Limits& limits)
    : impl_(std::make_unique<Impl>(*this, address, limits)) {}

Server::~Server() = default;

std::uint16_t Server::port() const { return impl_->listener.port(); }

}  // namespace batchscope::http
