// SPDX-License-Identifier: Apache-2.0
//
// Serving control requests.
#include "control_server.h"

#include <algorithm>
#include <utility>

namespace batchscope::run {

using namespace protocol;

namespace {

constexpr std::size_t kLineLimit = 64u << 10;
constexpr std::size_t kMostConnections = 64;
constexpr qint64 kMostUnread = 1 << 20;  // bytes a subscriber may lag behind
constexpr int kFlushMilliseconds = 200;

// The id of a request that does not parse otherwise, so that its error still finds its way.
Json id_of(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  const Json id = json.is_object() ? json.value("id", Json()) : Json();
  return id.is_number() || id.is_string() ? id : Json();
}

}  // namespace

struct ControlServer::Connection {
  explicit Connection(std::unique_ptr<QLocalSocket> socket) : lines(std::move(socket), kLineLimit) {}

  LineSocket lines;
  bool subscribed = false;
  bool closed = false;
};

ControlServer::ControlServer(const std::filesystem::path& path)
    : listener_(path, [this](auto socket) { accept(std::move(socket)); }) {}

ControlServer::~ControlServer() = default;

void ControlServer::accept(std::unique_ptr<QLocalSocket> socket) {
  sweep();
  const auto connection = std::make_shared<Connection>(std::move(socket));
  if (connections_.size() >= kMostConnections) {
    connection->lines.write(error_line(
        nullptr, Error(ErrorKind::conflict, "this supervisor has " + std::to_string(kMostConnections) +
                                                " connections already: close one first")));
    connection->lines.socket().flush();
    return;
  }
  // The list owns the connection; its own handlers must not.
  Connection* raw = connection.get();
  raw->lines.on_line = [this, weak = std::weak_ptr(connection)](const std::string& line) {
    if (const auto alive = weak.lock()) take(alive, line);
  };
  raw->lines.on_closed = [raw] { raw->closed = true; };
  raw->lines.on_overlong = [raw] {
    raw->lines.write(error_line(
        nullptr, Error(ErrorKind::usage, "a request of over " + std::to_string(kLineLimit) + " bytes")));
    raw->lines.socket().disconnectFromServer();
  };
  connections_.push_back(connection);
}

void ControlServer::take(const std::shared_ptr<Connection>& connection, const std::string& line) {
  try {
    const Request request = Request::parse(line);
    if (request.command == Request::Command::subscribe) connection->subscribed = true;
    const std::weak_ptr<Connection> weak = connection;
    const auto reply = [weak](const std::string& text) {
      if (const auto alive = weak.lock()) alive->lines.write(text);
    };
    const Json id = request.id;
    on_request(request, {[=](const Json& result) { reply(reply_line(id, result)); },
                         [=](const Error& error) { reply(error_line(id, error)); }});
  } catch (const Error& error) {
    connection->lines.write(error_line(id_of(line), error));
  }
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
  for (const auto& connection : connections_)
    while (!connection->closed && connection->lines.socket().bytesToWrite() > 0 &&
           connection->lines.socket().waitForBytesWritten(kFlushMilliseconds)) {
    }
}

void ControlServer::sweep() {
  connections_.remove_if([](const auto& connection) { return connection->closed; });
}

}  // namespace batchscope::run
