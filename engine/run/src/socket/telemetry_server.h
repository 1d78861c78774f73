// SPDX-License-Identifier: Apache-2.0
//
// Hears the replicas. A connection begins with a Hello of the present generation; what a stranger or an
// earlier generation says is not recorded. A malformed line is skipped and told once per connection: a
// replica's fault must not end the supervisor.
#pragma once

#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "batchscope/protocol/telemetry.h"
#include "socket/line_socket.h"
#include "socket/local_listener.h"

namespace batchscope::run {

class TelemetryServer {
 public:
  explicit TelemetryServer(const std::filesystem::path& path);
  ~TelemetryServer();

  // Sets the generation that connections must belong to.
  void expect(int generation, int replicas);

  // Handles every message that has arrived: of this rank, so that its last words come before its exit; none:
  // of all.
  void drain(std::optional<int> rank = {});

  LocalListener& listener() { return listener_; }

  std::function<void(int rank, const protocol::Message& message)> on_message;
  std::function<void(const std::string& sentence)> on_fault;

 private:
  struct Connection;

  void accept(std::unique_ptr<QLocalSocket> socket);
  void take(Connection& connection, const std::string& line);
  void sweep();  // destroys the connections that have closed

  int generation_ = -1;
  int replicas_ = 0;
  std::list<std::unique_ptr<Connection>> connections_;
  LocalListener listener_;
};

}  // namespace batchscope::run
