// SPDX-License-Identifier: Apache-2.0
//
// A private listening Unix socket, mode 0600, for processes of this user alone, whose accept never blocks.
// QLocalServer's does when a connection that was announced has been accepted already, as happens when
// telemetry is drained on a replica's exit, and it stops listening for ever when descriptors run out once.
#pragma once

#include <QLocalSocket>
#include <QSocketNotifier>
#include <filesystem>
#include <functional>
#include <memory>

#include "system/inode.h"

namespace batchscope::run {

class LocalListener {
 public:
  using Accepted = std::function<void(std::unique_ptr<QLocalSocket> socket)>;

  // Takes the place of a socket that a dead supervisor left. Throws Error(io), then and when it is made anew.
  LocalListener(const std::filesystem::path& path, Accepted accepted);
  ~LocalListener();
  LocalListener(const LocalListener&) = delete;
  LocalListener& operator=(const LocalListener&) = delete;

  // Whether the path still leads here; somebody may have removed it, or put something else there.
  bool stands() const;
  // Listens there anew. What has connected stays connected.
  void renew();

  // Accepts what has connected, without returning to the event loop.
  void accept_pending();

 private:
  void open();
  void close_socket();

  const std::filesystem::path path_;
  const Accepted accepted_;
  int fd_ = -1;
  Inode file_;
  std::unique_ptr<QSocketNotifier> notifier_;
};

}  // namespace batchscope::run
