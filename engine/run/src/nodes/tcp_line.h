// SPDX-License-Identifier: Apache-2.0
//
// A TCP connection that is there for as long as both ends are: it sends small messages at once, and finds out
// by itself that the other machine is gone (tcp(7): keep-alive, and TCP_USER_TIMEOUT for what was sent and is
// not confirmed).
#pragma once

#include <chrono>
#include <string>

#include "batchscope/protocol/time_outs.h"

namespace batchscope::run {

void watch_tcp_line(int descriptor);

// Blocks until it stands, as long as there is patience; a descriptor of the caller's. `address`: numeric.
// Throws Error(io | timeout) naming the address.
int connect_tcp_line(const std::string& address, int port,
                     std::chrono::milliseconds patience = protocol::time_out::kNodeConnect);

}  // namespace batchscope::run
