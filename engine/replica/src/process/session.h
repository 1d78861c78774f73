// SPDX-License-Identifier: Apache-2.0
//
// The session of training: the one object that a process has one of. It is that of a replica by itself until
// init_process_group gives it its place among others, and it ends with the process and no earlier: threads,
// peers and the way out may come to it until then, so nothing in it is ever destroyed.
//
// It is made of parts, which it knows nothing of: a folder that keeps something from call to call has a type
// of its own for it and asks the session for the one of that type, which is made when it is first asked for.
// So what a folder keeps is named where it is used, what lies below does not depend on what lies above, and
// there is no other global state, in engine/train neither, but for what a signal handler may touch.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>

namespace batchscope::replica {

class Session {
 public:
  // The part of this type, with its default value where nobody has asked for it before. From any thread.
  template <class Part>
  Part& part() {
    static const std::size_t slot = new_slot();
    if (void* const made = parts_[slot].load(std::memory_order_acquire)) return *static_cast<Part*>(made);
    const std::lock_guard lock(making_);
    if (void* const made = parts_[slot].load(std::memory_order_acquire)) return *static_cast<Part*>(made);
    auto part = std::make_unique<Part>();
    parts_[slot].store(part.get(), std::memory_order_release);
    return *part.release();
  }

 private:
  static std::size_t new_slot();

  std::array<std::atomic<void*>, 64> parts_{};
  std::recursive_mutex making_;  // a part may ask for another when it is made
};

Session& session();

}  // namespace batchscope::replica
