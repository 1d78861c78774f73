// SPDX-License-Identifier: Apache-2.0
//
// Launching replicas the fastest way there is. A program that says in its file that it can be a fork server
// is started as one, and generations are forked from it. Any other program is executed, and so is a
// generation for which no server stands: the program refused, its server was killed, the file has changed. A
// launch never waits for a server to load; a new one loads in the background, for the generation after.
#pragma once

#include <sys/types.h>

#include <QTimer>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "batchscope/protocol/time_outs.h"
#include "launch/fork_server.h"
#include "launch/launcher.h"
#include "launch/program_file.h"

namespace batchscope::run {

class ForkLauncher final : public Launcher {
 public:
  // `program`: what is executed as the fork server, with the server's own log. `start_limit`: until it
  // answers.
  explicit ForkLauncher(ReplicaOrder program,
                        std::chrono::milliseconds start_limit = protocol::time_out::kForkServerStart);

  std::function<void(const std::string& level, const std::string& text)> on_news;

  // Starts a server where the program can be one, and calls `then` from the event loop when it is settled how
  // the first generation is launched.
  void prepare(std::function<void()> then);

  // A replica said that the program can be a server, though its file does not say so. From the event loop.
  void offered();

  std::vector<pid_t> launch(const std::vector<ReplicaOrder>& orders) override;

  // This child of ours is gone, as waitpid says. True where it was the server.
  bool take_exited(pid_t pid, int status);

 private:
  void start_server();
  void answered(const std::string& refusal);
  void settled();
  bool serves() const;
  std::vector<FileIdentity> identity() const;
  bool stands() const;

  const ReplicaOrder program_;
  const std::chrono::milliseconds start_limit_;
  const bool allowed_;
  ExecLauncher exec_;
  std::unique_ptr<ForkServer> server_;
  bool offered_ = false;
  std::vector<FileIdentity> files_;    // of the program that the server is
  std::vector<FileIdentity> refused_;  // of one that will not be a server
  bool used_ = false;                  // the server has forked a generation
  QTimer patience_;
  std::function<void()> then_;
};

}  // namespace batchscope::run
