// SPDX-License-Identifier: Apache-2.0
//
// A replica as its node's agent has it: a child with a pipe by name for what it prints and a private socket
// for what it tells, both of which go over the line to its stand-in. Where that does not keep up, neither is
// read. Where the node does not see the run's folder of checkpoints, they go over the line, too.
#pragma once

#include <QLocalSocket>
#include <QSocketNotifier>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "batchscope/protocol/environment.h"
#include "launch/launcher.h"
#include "nodes/checkpoint_courier.h"
#include "nodes/frame_socket.h"
#include "nodes/messages.h"
#include "socket/local_listener.h"

namespace batchscope::run {

class HostedReplica {
 public:
  // Launches it. `folder`: private, its own, and there; removed with it. `checkpoints`: the node's own folder
  // of them; empty: the node sees the run's. Throws Error.
  HostedReplica(FrameSocket& line, const std::filesystem::path& folder,
                const std::filesystem::path& checkpoints, ReplicaOrder order, Launcher& launcher);
  ~HostedReplica();  // kills what is left of it
  HostedReplica(const HostedReplica&) = delete;
  HostedReplica& operator=(const HostedReplica&) = delete;

  pid_t pid() const { return pid_; }  // 0: it has ended
  // As its order says.
  int rank() const { return number(protocol::variable::kReplicaRank); }
  int generation() const { return number(protocol::variable::kNumRestarts); }
  std::string device() const { return text(protocol::variable::kDevice); }
  std::string visible_gpus() const { return text("CUDA_VISIBLE_DEVICES"); }
  void signal(const HandedSignal& signal) const;
  void kill() const;
  // It has ended: sends the rest of what it said, and how it ended, as the line takes it.
  void ended(int status);
  bool has_more_to_say() const { return status_.has_value(); }  // since it has ended

 private:
  std::string text(const std::string& variable) const;
  int number(const std::string& variable) const;
  void open_output(const std::filesystem::path& path);
  void read_output();
  void accept(std::unique_ptr<QLocalSocket> socket);
  void read_telemetry(std::uint32_t connection);
  void tell(std::uint32_t connection, std::string_view bytes);
  void go_on();
  void say_how_it_ended();
  bool keeps_up() const;

  struct Later {
    void operator()(QLocalSocket* socket) const {
      socket->disconnect();
      socket->deleteLater();
    }
  };

  FrameSocket& line_;
  const std::filesystem::path folder_;
  std::map<std::string, std::string> environment_;
  int output_ = -1;
  std::unique_ptr<QSocketNotifier> notifier_;
  std::uint32_t connections_ = 0;  // so far
  std::map<std::uint32_t, std::unique_ptr<QLocalSocket, Later>> telemetry_;
  std::unique_ptr<CheckpointCourier> courier_;  // null: the node sees the run's checkpoints
  std::unique_ptr<LocalListener> listener_;
  pid_t pid_ = 0;
  std::optional<int> status_;  // of one that has ended, until it is sent
};

}  // namespace batchscope::run
