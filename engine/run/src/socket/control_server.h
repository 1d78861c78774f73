// SPDX-License-Identifier: Apache-2.0
//
// The control socket of a run (PROTOCOL.md): parses requests, hands them on with a way to answer, now or
// later, and sends status and notices to those who subscribed. A malformed line is answered by an error and
// the connection stays; a line without end closes it. Who does not read his answers is not read either, so
// that what is kept for him is bounded, and after a while he is sent away; nobody is ever waited for.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "batchscope/protocol/control.h"
#include "socket/line_socket.h"
#include "socket/local_listener.h"

namespace batchscope::run {

class ControlServer {
 public:
  // Answers one request; may be kept and called later, also after the peer has gone.
  struct Responder {
    std::function<void(const protocol::Json& result)> ok;
    std::function<void(const Error& error)> fail;
  };

  // Limits of one connection.
  struct Limits {
    qint64 unread = 256 << 10;  // bytes of answers; nothing more is read of a client who leaves more
    int unanswered = 64;        // requests on their way; nor of one who has as many
    std::chrono::milliseconds patience{10'000};  // with a client who takes nothing of what he leaves
  };

  explicit ControlServer(const std::filesystem::path& path) : ControlServer(path, Limits()) {}
  ControlServer(const std::filesystem::path& path, const Limits& limits);
  ~ControlServer();

  // An Error that it throws becomes the reply.
  std::function<void(const protocol::Request& request, const Responder& responder)> on_request;
  // A client had to be sent away.
  std::function<void(const std::string& sentence)> on_fault;

  LocalListener& listener() { return listener_; }

  bool has_subscribers() const;
  void send_status(const protocol::RunStatus& status);
  void send_notice(const std::string& level, const std::string& text);
  // Gives what was written a moment to leave before the process ends.
  void flush();

 private:
  struct Connection;

  void accept(std::unique_ptr<QLocalSocket> socket);
  void take(const std::shared_ptr<Connection>& connection, const std::string& line);
  void reply(Connection& connection, const std::string& text);
  void balance(Connection& connection);
  void broadcast(const protocol::Json& event);
  void sweep();

  const Limits limits_;
  std::list<std::shared_ptr<Connection>> connections_;
  LocalListener listener_;
};

}  // namespace batchscope::run
