// SPDX-License-Identifier: Apache-2.0
//
// A TCP connection that is there for as long as both ends are: it sends small messages at once, and finds out
// by itself that the other machine is gone (tcp(7): keep-alive, and TCP_USER_TIMEOUT for what was sent and is
// not confirmed).
#pragma once

#include <string>

namespace batchscope::run {

void watch_tcp_line(int descriptor);

// Blocks until it stands, at most kNodeConnect; a descriptor of the caller's. `address`: numeric. Throws
// Error(io | timeout) naming the address.
int connect_tcp_line(const std::string& address, int port);

}  // namespace batchscope::run
