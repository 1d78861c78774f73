// SPDX-License-Identifier: Apache-2.0
//
// How one call of the small collectives travels: a fixed head, the call's name, its bytes. Numbers are in the
// machine's own order: replicas of one run are of one architecture, and the head's magic number tells when
// not.
#pragma once

#include <cstdint>
#include <string>

#include "collective/socket.h"

namespace batchscope::replica {

struct Frame {
  bool error = false;  // then `value` is the error's kind, a newline and its message
  std::uint64_t sequence = 0;
  std::string name;
  std::string value;
};

Transfer send_frame(Socket& socket, const Frame& frame, Deadline deadline);

// Throws Error(corrupt) for bytes that are not a frame.
Transfer receive_frame(Socket& socket, Frame& frame, Deadline deadline);

}  // namespace batchscope::replica
