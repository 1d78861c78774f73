// SPDX-License-Identifier: Apache-2.0
//
// The control socket of a run (PROTOCOL.md): parses requests, hands them on with a way to answer, now or
// later, and sends status and notices to those who subscribed. A malformed line is answered by an error and
// the connection stays; a line without end closes it. Who does not read is left behind, never waited for.
#pragma once

#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "batchscope/protocol/control.h"
#include "line_socket.h"
#include "local_listener.h"

namespace batchscope::run {

class ControlServer {
 public:
  // Answers one request; may be kept and called later, also after the peer has gone.
  struct Responder {
    std::function<void(const protocol::Json& result)> ok;
    std::function<void(const Error& error)> fail;
  };

  explicit ControlServer(const std::filesystem::path& path);
  ~ControlServer();

  // An Error that it throws becomes the reply.
  std::function<void(const protocol::Request& request, const Responder& responder)> on_request;

  bool has_subscribers() const;
  void send_status(const protocol::RunStatus& status);
  void send_notice(const std::string& level, const std::string& text);
  // Gives what was written a moment to leave before the process ends.
  void flush();

 private:
  struct Connection;

  void accept(std::unique_ptr<QLocalSocket> socket);
  void take(const std::shared_ptr<Connection>& connection, const std::string& line);
  void broadcast(const protocol::Json& event);
  void sweep();

  std::list<std::shared_ptr<Connection>> connections_;
  LocalListener listener_;
};

}  // namespace batchscope::run
