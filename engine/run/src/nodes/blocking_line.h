// SPDX-License-Identifier: Apache-2.0
//
// A line to an agent as a stand-in has it, which blocks and has no event loop.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "nodes/messages.h"

namespace batchscope::run {

class BlockingLine {
 public:
  // Thrown where the line has ended, or breaks.
  struct Broken {
    std::string why;
  };

  virtual ~BlockingLine() = default;

  // For poll(2), which says when there is something to read, unless has_more() does.
  virtual int descriptor() const = 0;
  virtual bool has_more() const = 0;
  // Some bytes; none where those that came are not yet enough.
  virtual std::string read() = 0;
  // Returns when the system has taken all of them.
  virtual void write(std::string_view bytes) = 0;
};

// Blocks until it stands, at most kNodeConnect and as long again for TLS. Throws Error(io | timeout) naming
// the address.
std::unique_ptr<BlockingLine> connect_blocking_line(const std::string& address, int port,
                                                    const Welcome& welcome);

}  // namespace batchscope::run
