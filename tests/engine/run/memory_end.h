// SPDX-License-Identifier: Apache-2.0
//
// The end of a supervisor's memory, in the handler of a line of telemetry: an exception that it does not
// foresee.
#pragma once

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/unix_address.h"
#include "text_files.h"
#include "thrown.h"

namespace batchscope::run {

// Whether the run's supervisor has met with such an exception.
inline bool has_thrown(const std::string& id) {
  return testing::holds(testing::contents(protocol::run_paths(id).root / "supervisor.log"),
                        "thrown in an event's handler");
}

// Whether the other end has taken all that was sent; also where it is gone.
inline bool is_read(int socket) {
  int unread = 0;
  return ioctl(socket, SIOCOUTQ, &unread) != 0 || unread == 0;
}

inline bool sleeps(pid_t process) {
  return testing::holds(testing::contents("/proc/" + std::to_string(process) + "/stat"), ") S ");
}

// Sends lines that do not end, together longer than what an allocator may have put by. One piece is dealt
// with before the next, so that one handler meets with it, and the last checkpoint does not. Returns whether
// it has.
inline bool runs_out_of_memory(const std::string& id, pid_t supervisor) {
  const sockaddr_un address = protocol::unix_address(protocol::run_paths(id).telemetry_socket);
  const rlimit no_more{1, RLIM_INFINITY}, any{RLIM_INFINITY, RLIM_INFINITY};
  if (prlimit(supervisor, RLIMIT_AS, &no_more, nullptr) != 0) return false;
  const std::string piece(16 << 10, 'x');
  std::vector<int> lines;
  for (int i = 0; i < 10'000 && !has_thrown(id); ++i) {
    if (i % 900 == 0) {
      lines.push_back(socket(AF_UNIX, SOCK_STREAM, 0));
      if (::connect(lines.back(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) break;
    }
    send(lines.back(), piece.data(), piece.size(), MSG_NOSIGNAL);
    for (int waited = 0; waited < 20'000 && !(is_read(lines.back()) && sleeps(supervisor)); ++waited)
      usleep(500);
  }
  const bool has = has_thrown(id) && prlimit(supervisor, RLIMIT_AS, &any, nullptr) == 0;
  for (const int line : lines) close(line);
  return has;
}

}  // namespace batchscope::run
