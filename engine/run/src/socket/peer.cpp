// SPDX-License-Identifier: Apache-2.0
#include "socket/peer.h"

#include <sys/socket.h>
#include <unistd.h>

namespace batchscope::run {

bool is_trusted_peer(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  return peer.uid == geteuid() || peer.uid == 0;
}

}  // namespace batchscope::run
