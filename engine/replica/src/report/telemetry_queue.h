// SPDX-License-Identifier: Apache-2.0
//
// The queue of what waits to be sent, in order: messages, and the rows of steps, which are packed into Steps
// messages only when they go out. Shared by the training thread, which adds, and the sender, which takes.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <variant>
#include <vector>

#include "batchscope/protocol/telemetry.h"
#include "report/row.h"

namespace batchscope::replica {

struct StepRow {
  std::int64_t step = 0;
  Row values;
};

// Rows of consecutive steps as messages: the names that every row has become columns of one Steps message, a
// value that did not come with every step a Scalar of its own. `rows` is not empty.
std::vector<protocol::Message> pack_steps(const std::vector<StepRow>& rows, std::int64_t dropped);

class TelemetryQueue {
 public:
  explicit TelemetryQueue(std::size_t limit = 20'000) : limit_(limit) {}

  // True when the queue was empty before. A step beyond the limit is dropped and counted; other messages are
  // few and have twice the room.
  bool push(StepRow row);
  bool push(protocol::Message message);
  void set_position(const protocol::Position& position);

  // Only rows and positions are waiting: nothing that should go out at once.
  bool only_steps() const;
  bool empty() const;
  // Everything, packed, and the queue is empty.
  std::vector<protocol::Message> take();

 private:
  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::deque<std::variant<StepRow, protocol::Message>> items_;
  std::size_t messages_ = 0;  // in items_, other than rows
  std::optional<protocol::Position> position_;
  std::int64_t dropped_ = 0;
};

}  // namespace batchscope::replica
