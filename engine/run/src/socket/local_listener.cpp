// SPDX-License-Identifier: Apache-2.0
#include "socket/local_listener.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QTimer>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/unix_address.h"
#include "socket/peer.h"

namespace batchscope::run {
namespace {

constexpr int kBacklog = 64;
constexpr auto kRetry = std::chrono::milliseconds(500);  // when descriptors have run out

}  // namespace

LocalListener::LocalListener(const std::filesystem::path& path, Accepted accepted)
    : path_(path), accepted_(std::move(accepted)) {
  open();
}

void LocalListener::open() {
  const sockaddr_un address = protocol::unix_address(path_);
  const std::string& name = path_.native();
  unlink(name.c_str());
  fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  // Nobody can connect between bind and listen, which is when the mode is set.
  if (fd_ < 0 || bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      chmod(name.c_str(), 0600) != 0 || listen(fd_, kBacklog) != 0) {
    const int error = errno;
    if (fd_ >= 0) close(std::exchange(fd_, -1));
    throw Error(ErrorKind::io, "cannot listen on " + name + ": " + std::strerror(error));
  }
  file_ = inode_of(path_);
  notifier_ = std::make_unique<QSocketNotifier>(fd_, QSocketNotifier::Read);
  QObject::connect(notifier_.get(), &QSocketNotifier::activated, notifier_.get(),
                   [this] { accept_pending(); });
}

void LocalListener::close_socket() {
  notifier_.reset();
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

LocalListener::~LocalListener() {
  close_socket();
  unlink(path_.c_str());
}

bool LocalListener::stands() const { return fd_ >= 0 && !was_removed(path_, file_); }

void LocalListener::renew() {
  close_socket();
  open();
}

void LocalListener::accept_pending() {
  if (fd_ < 0) return;
  for (;;) {
    const int connection = accept4(fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (connection < 0) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      if (errno == EAGAIN) return;
      // The connection waits in the backlog and would wake us again at once.
      notifier_->setEnabled(false);
      QTimer::singleShot(kRetry, notifier_.get(), [this] { notifier_->setEnabled(true); });
      return;
    }
    if (!is_trusted_peer(connection)) {
      close(connection);
      continue;
    }
    auto socket = std::make_unique<QLocalSocket>();
    if (socket->setSocketDescriptor(connection))
      accepted_(std::move(socket));
    else
      close(connection);
  }
}

}  // namespace batchscope::run
