// SPDX-License-Identifier: Apache-2.0
#include "socket/control_server.h"

#include <fmt/format.h>
#include <QDeadlineTimer>
#include <QTimer>
#include <algorithm>
#include <utility>

#include "socket/request_id.h"

namespace batchscope::run {

using namespace protocol;

namespace {

constexpr std::size_t kRequestLimit = 64u << 10;
constexpr std::size_t kMostConnections = 64;
constexpr qint64 kMostUnread = 1 << 20;                   // bytes a subscriber may lag behind
constexpr auto kFlush = std::chrono::milliseconds(1000);  // for all connections together

}  // namespace

struct ControlServer::Connection {
  explicit Connection(std::unique_ptr<QLocalSocket> socket) : lines(std::move(socket), kRequestLimit) {
    lines.socket().setReadBufferSize(kRequestLimit);
    patience.setSingleShot(true);
  }

  LineSocket lines;
  QTimer patience;     // runs while answers wait to be read
  int unanswered = 0;  // requests
  bool subscribed = false;
  bool closed = false;
};

ControlServer::ControlServer(const std::filesystem::path& path, const Limits& limits)
    : limits_(limits), listener_(path, [this](auto socket) { accept(std::move(socket)); }) {}

ControlServer::~ControlServer() = default;

void ControlServer::accept(std::unique_ptr<QLocalSocket> socket) {
  sweep();
  const auto connection = std::make_shared<Connection>(std::move(socket));
  if (connections_.size() >= kMostConnections) {
    connection->lines.write(error_line(
        nullptr, Error(ErrorKind::conflict,
                       fmt::format("too many connections: this supervisor has {} already; close one first",
                                   kMostConnections))));
    connection->lines.socket().flush();
    return;
  }
  // The list owns the connection; its own handlers must not.
  Connection* raw = connection.get();
  raw->lines.on_line = [this, weak = std::weak_ptr(connection)](const std::string& line) {
    if (const auto alive = weak.lock()) take(alive, line);
  };
  raw->lines.on_closed = [raw] {
    raw->closed = true;
    raw->patience.stop();
  };
  raw->lines.on_overlong = [raw] {
    raw->lines.write(error_line(
        nullptr, Error(ErrorKind::usage, fmt::format("a request of over {} bytes", kRequestLimit))));
    raw->lines.socket().disconnectFromServer();
  };
  QObject::connect(&raw->lines.socket(), &QLocalSocket::bytesWritten, &raw->patience, [this, raw] {
    raw->patience.stop();
    balance(*raw);
  });
  QObject::connect(&raw->patience, &QTimer::timeout, &raw->patience, [this, raw] {
    raw->lines.socket().abort();
    if (on_fault)
      on_fault("a client of the control socket asked and did not read the answers; it was disconnected");
  });
  connections_.push_back(connection);
}

void ControlServer::take(const std::shared_ptr<Connection>& connection, const std::string& line) {
  ++connection->unanswered;
  try {
    const Request request = Request::parse(line);
    if (request.command == Request::Command::subscribe) connection->subscribed = true;
    const auto answer = [this, weak = std::weak_ptr(connection)](const std::string& text) {
      if (const auto alive = weak.lock()) reply(*alive, text);
    };
    const Json id = request.id;
    on_request(request, {[=](const Json& result) { answer(reply_line(id, result)); },
                         [=](const Error& error) { answer(error_line(id, error)); }});
  } catch (const Error& error) {
    reply(*connection, error_line(request_id(line), error));
  }
  balance(*connection);
}

void ControlServer::reply(Connection& connection, const std::string& text) {
  --connection.unanswered;
  connection.lines.write(text);
  balance(connection);
}

// Holds back a client that leaves its answers unread or has too many requests on their way; its further
// requests wait, in the end in its own process.
void ControlServer::balance(Connection& connection) {
  const bool unread = connection.lines.socket().bytesToWrite() > limits_.unread;
  connection.lines.hold(unread || connection.unanswered >= limits_.unanswered);
  // Events are thrown at a subscriber whether he asks or not; for him broadcast() has another measure.
  if (unread && !connection.subscribed && !connection.closed && !connection.patience.isActive())
    connection.patience.start(limits_.patience);
}

bool ControlServer::has_subscribers() const {
  return std::any_of(connections_.begin(), connections_.end(),
                     [](const auto& connection) { return connection->subscribed && !connection->closed; });
}

void ControlServer::send_status(const RunStatus& status) {
  broadcast({{"v", kControlVersion}, {"event", "status"}, {"status", status}});
}

void ControlServer::send_notice(const std::string& level, const std::string& text) {
  broadcast({{"v", kControlVersion}, {"event", "notice"}, {"level", level}, {"text", text}});
}

void ControlServer::broadcast(const Json& event) {
  const std::string line = event.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  for (const auto& connection : connections_) {
    if (!connection->subscribed || connection->closed) continue;
    if (connection->lines.socket().bytesToWrite() > kMostUnread)
      connection->lines.socket().abort();
    else
      connection->lines.write(line);
  }
}

void ControlServer::flush() {
  const QDeadlineTimer deadline(kFlush);
  for (const auto& connection : connections_)
    while (!connection->closed && connection->lines.socket().bytesToWrite() > 0 &&
           connection->lines.socket().waitForBytesWritten(static_cast<int>(deadline.remainingTime()))) {
    }
}

void ControlServer::sweep() {
  connections_.remove_if([](const auto& connection) { return connection->closed; });
}

}  // namespace batchscope::run
