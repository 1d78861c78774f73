// SPDX-License-Identifier: Apache-2.0
//
// The agent of a node: it has replicas of a run there for the supervisor on another node, which knows them as
// its own children (NODES.md). Who connects must send the token first. It ends, and its replicas with it,
// when its standard input or the supervisor's line closes, or when it is asked to (SIGTERM): they are told to
// checkpoint and leave, and killed when they take longer than a supervisor would wait.
#pragma once

#include <QEventLoop>
#include <QSocketNotifier>
#include <QTimer>
#include <chrono>
#include <filesystem>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "batchscope/protocol/time_outs.h"
#include "devices/device_metrics.h"
#include "launch/fork_launcher.h"
#include "nodes/frame_socket.h"
#include "nodes/hosted_replica.h"
#include "nodes/line_server.h"
#include "nodes/node_checkpoints.h"
#include "system/process_signals.h"

namespace batchscope::run {

// How long an agent waits for what.
struct AgentTimes {
  std::chrono::milliseconds beat = protocol::time_out::kNodeBeat;         // between two of them
  std::chrono::milliseconds stranger = protocol::time_out::kNodeConnect;  // for the token
  std::chrono::milliseconds orphan = protocol::time_out::kOrphan;         // for replicas to end by themselves
};

class Agent {
 public:
  // Listens at this numeric address, at a port that is free. `apart`: the run's folder of checkpoints counts
  // as one that this node does not see. Throws Error(io) naming the address, and Error(failure) where the
  // welcome asks for TLS and this machine has none.
  Agent(const std::string& address, const Welcome& welcome, bool apart, const AgentTimes& times = {});
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  int port() const { return server_.serverPort(); }
  // Runs until the agent has ended; returns an exit code.
  int exec();

 private:
  struct Line;

  void accept();
  void take(Line& line, const Frame& frame);
  void greet(Line& line, const Frame& frame);
  void take_program(const Frame& frame);
  void take_order(Line& line, const Frame& frame);
  void take_offer(Line& line, const Frame& frame);
  void answer_offers();
  void take_checkpoint(Line& line, const Frame& frame);
  void closed(Line& line);
  void sweep();
  void beat();
  void tell_use();
  void tell(const std::string& level, const std::string& text);
  void on_exit(pid_t pid, int status);
  void end();
  void leave_if_empty();

  const std::string token_;
  const bool apart_;
  const AgentTimes times_;
  LineServer server_;
  std::filesystem::path folder_;  // private, of the replicas' pipes and sockets
  int lock_ = -1;                 // on it, while this process or a replica that it forked lives
  ProcessSignals signals_;
  std::unique_ptr<ForkLauncher> launcher_;      // of the run's program, once it is known
  std::optional<NodeCheckpoints> checkpoints_;  // where this node does not see the run's
  std::list<std::unique_ptr<Line>> lines_;
  Line* supervisor_ = nullptr;
  int replicas_ = 0;  // so far
  DeviceMetrics metrics_;
  QTimer beat_, patience_;
  QSocketNotifier input_;
  QEventLoop loop_;
  bool ending_ = false;
};

}  // namespace batchscope::run
