// SPDX-License-Identifier: Apache-2.0
//
// The life of a connection: its request is read within the time allowed, it is answered whenever the answer
// comes, and it is closed when the client has read that or its time is up. What a client still sends after
// its answer is read and dropped, because closing over unread bytes would reset the connection and could take
// the answer with it.
#include "adaptdl/http_server.h"

#include <sys/socket.h>

#include <QTcpSocket>
#include <QTimer>
#include <algorithm>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"

namespace batchscope::run {
namespace {

using namespace std::chrono_literals;

constexpr auto kRetry = 500ms;  // when descriptors have run out

const char* reason(int status) {
  switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 413: return "Content Too Large";
    case 431: return "Request Header Fields Too Large";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    default: return "Internal Server Error";
  }
}

}  // namespace

std::string http_error(const std::string& text) {
  return protocol::Json{{"error", text}}.dump(-1, ' ', false, protocol::Json::error_handler_t::replace);
}

struct HttpServer::Connection {
  Connection(QTcpSocket* connected, std::chrono::milliseconds time) : socket(connected), patience(time) {
    socket->setParent(nullptr);
    socket->setReadBufferSize(HttpRequestReader::kMostHead + HttpRequestReader::kMostBody);
    deadline.setSingleShot(true);
    deadline.start(patience);
  }
  // What a socket says when it is taken down is of no interest.
  ~Connection() { socket->disconnect(); }

  void answer(int status, const std::string& json) {
    if (std::exchange(answered, true) || socket->state() != QAbstractSocket::ConnectedState) return;
    deadline.start(patience);
    const std::string text =
        "HTTP/1.1 " + std::to_string(status) + " " + reason(status) +
        "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(json.size()) +
        "\r\nConnection: close\r\n\r\n" + json;
    socket->write(text.data(), static_cast<qint64>(text.size()));
  }
  void end_when_written() {
    if (answered && socket->bytesToWrite() == 0)
      ::shutdown(static_cast<int>(socket->socketDescriptor()), SHUT_WR);
  }
  // It may take its time: for the rest of its request, and until there is an answer.
  bool keeps_its_place() const { return welcome && !answered; }
  // Its place is another's. What it has not read by now it may still find in its own buffer.
  void give_way() {
    answer(503, http_error("too many connections; ask again"));
    socket->flush();
    socket->abort();
  }
  void time_out() {
    if (answered)
      socket->abort();
    else
      answer(408, http_error("the request did not come in time"));
  }

  const std::unique_ptr<QTcpSocket> socket;
  const std::chrono::milliseconds patience;
  QTimer deadline;
  HttpRequestReader reader;
  bool welcome = false;  // its head was taken
  bool asked = false;    // the request was handed on, or cannot be read
  bool answered = false;
};

HttpServer::HttpServer(const Limits& limits) : limits_(limits) {
  server_.setMaxPendingConnections(1);  // beyond ours; reading of more pauses by itself
  server_.setListenBacklogSize(SOMAXCONN);
  QObject::connect(&server_, &QTcpServer::newConnection, &server_, [this] { accept(); });
  QObject::connect(&server_, &QTcpServer::acceptError, &server_,
                   [this] { QTimer::singleShot(kRetry, &server_, [this] { server_.resumeAccepting(); }); });
  if (!server_.listen(QHostAddress::LocalHost))
    throw Error(ErrorKind::io, "cannot listen on 127.0.0.1: " + server_.errorString().toStdString());
}

HttpServer::~HttpServer() = default;

void HttpServer::accept() {
  while (server_.hasPendingConnections() && (connections_.size() < limits_.connections || make_room()))
    adopt(server_.nextPendingConnection());
}

// False where each connection keeps its place.
bool HttpServer::make_room() {
  const auto silent = std::find_if(connections_.begin(), connections_.end(),
                                   [](const auto& connection) { return !connection->keeps_its_place(); });
  if (silent == connections_.end()) return false;
  const auto evicted = *silent;
  connections_.erase(silent);
  evicted->give_way();
  return true;
}

void HttpServer::adopt(QTcpSocket* socket) {
  const auto connection = connections_.emplace_back(std::make_shared<Connection>(socket, limits_.patience));
  connection->reader.on_head = [this, owner = connection.get()](const HttpRequest& head) {
    if (on_head) on_head(head);
    owner->welcome = true;
  };
  // The list owns the connection; its own handlers must not.
  const std::weak_ptr<Connection> weak = connection;
  const auto alive = [weak](auto act) {
    return [weak, act] {
      if (const auto connection = weak.lock()) act(connection);
    };
  };
  QObject::connect(socket, &QTcpSocket::readyRead, socket, alive([this](const auto& c) { read(c); }));
  QObject::connect(socket, &QTcpSocket::bytesWritten, socket,
                   alive([](const auto& c) { c->end_when_written(); }));
  QObject::connect(&connection->deadline, &QTimer::timeout, socket,
                   alive([](const auto& c) { c->time_out(); }));
  QObject::connect(
      socket, &QTcpSocket::disconnected, &server_, [this] { sweep(); }, Qt::QueuedConnection);
  read(connection);  // what came before anybody listened for it
}

void HttpServer::read(const std::shared_ptr<Connection>& connection) {
  const QByteArray bytes = connection->socket->readAll();
  if (connection->asked || bytes.isEmpty()) return;
  const std::weak_ptr<Connection> weak = connection;
  const Reply reply = [weak](int status, const std::string& json) {
    if (const auto alive = weak.lock()) alive->answer(status, json);
  };
  try {
    const auto request = connection->reader.feed({bytes.data(), static_cast<std::size_t>(bytes.size())});
    if (!request) return;
    connection->asked = true;
    connection->deadline.stop();
    on_request(*request, reply);
  } catch (const HttpFault& fault) {
    connection->asked = true;
    reply(fault.status, http_error(fault.text));
  }
}

void HttpServer::sweep() {
  connections_.remove_if([](const auto& connection) {
    return connection->socket->state() == QAbstractSocket::UnconnectedState;
  });
  accept();
}

}  // namespace batchscope::run
