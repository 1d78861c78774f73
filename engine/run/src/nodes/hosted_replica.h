// SPDX-License-Identifier: Apache-2.0
//
// A replica as its node's agent has it: a child with a pipe by name for what it prints and a private socket
// for what it tells, both of which go over the line to its stand-in. Where that does not keep up, neither is
// read.
#pragma once

#include <QLocalSocket>
#include <QSocketNotifier>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>

#include "launch/launcher.h"
#include "nodes/frame_socket.h"
#include "nodes/messages.h"
#include "socket/local_listener.h"

namespace batchscope::run {

class HostedReplica {
 public:
  // Launches it. `folder`: private, its own, and there; removed with it. Throws Error.
  HostedReplica(FrameSocket& line, const std::filesystem::path& folder, ReplicaOrder order,
                Launcher& launcher);
  ~HostedReplica();  // kills what is left of it
  HostedReplica(const HostedReplica&) = delete;
  HostedReplica& operator=(const HostedReplica&) = delete;

  pid_t pid() const { return pid_; }  // 0: it has ended
  void signal(const HandedSignal& signal) const;
  void kill() const;
  // It has ended: sends the rest of what it said, and how it ended.
  void ended(int status);

 private:
  void open_output(const std::filesystem::path& path);
  void read_output();
  void accept(std::unique_ptr<QLocalSocket> socket);
  void read_telemetry(std::uint32_t connection);
  void go_on();
  bool keeps_up() const;

  struct Later {
    void operator()(QLocalSocket* socket) const {
      socket->disconnect();
      socket->deleteLater();
    }
  };

  FrameSocket& line_;
  const std::filesystem::path folder_;
  int output_ = -1;
  std::unique_ptr<QSocketNotifier> notifier_;
  std::uint32_t connections_ = 0;  // so far
  std::map<std::uint32_t, std::unique_ptr<QLocalSocket, Later>> telemetry_;
  std::unique_ptr<LocalListener> listener_;
  pid_t pid_ = 0;
};

}  // namespace batchscope::run
