// SPDX-License-Identifier: Apache-2.0
#include "process/session.h"

#include <stdexcept>

namespace batchscope::replica {

std::size_t Session::new_slot() {
  static std::atomic<std::size_t> used = 0;
  const std::size_t slot = used++;
  if (slot >= std::tuple_size_v<decltype(Session::parts_)>)
    throw std::length_error("a session of training has no room for another part");
  return slot;
}

Session& session() {
  static Session& session = *new Session;
  return session;
}

}  // namespace batchscope::replica
