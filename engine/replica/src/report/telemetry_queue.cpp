// SPDX-License-Identifier: Apache-2.0
#include "report/telemetry_queue.h"

#include <algorithm>
#include <utility>

#include "batchscope/protocol/series.h"

namespace batchscope::replica {

std::vector<protocol::Message> pack_steps(const std::vector<StepRow>& rows, std::int64_t dropped) {
  protocol::Steps steps;
  steps.first_step = rows.front().step;
  steps.dropped = dropped;
  for (const StepRow& row : rows)
    for (const auto& [name, value] : row.values) steps.columns[name].push_back(value);
  std::erase_if(steps.columns, [&](const auto& column) { return column.second.size() < rows.size(); });

  std::vector<protocol::Message> messages;
  for (const StepRow& row : rows) {
    const auto mono = std::find_if(row.values.begin(), row.values.end(),
                                   [](const auto& named) { return named.first == protocol::series::kMono; });
    for (const auto& [name, value] : row.values)
      if (!steps.columns.contains(name))
        messages.push_back(
            protocol::Scalar{name, row.step, value, mono == row.values.end() ? 0 : mono->second});
  }
  messages.insert(messages.begin(), std::move(steps));
  return messages;
}

bool TelemetryQueue::push(StepRow row) {
  const std::lock_guard lock(mutex_);
  if (items_.size() - messages_ >= limit_) {
    ++dropped_;
    return false;
  }
  items_.push_back(std::move(row));
  return items_.size() == 1;
}

bool TelemetryQueue::push(protocol::Message message) {
  const std::lock_guard lock(mutex_);
  if (messages_ >= 2 * limit_) return false;
  items_.push_back(std::move(message));
  ++messages_;
  return true;
}

void TelemetryQueue::set_position(const protocol::Position& position) {
  const std::lock_guard lock(mutex_);
  position_ = position;
}

bool TelemetryQueue::only_steps() const {
  const std::lock_guard lock(mutex_);
  return messages_ == 0;
}

bool TelemetryQueue::empty() const {
  const std::lock_guard lock(mutex_);
  return items_.empty() && !position_;
}

std::vector<protocol::Message> TelemetryQueue::take() {
  std::unique_lock lock(mutex_);
  auto items = std::exchange(items_, {});
  const auto position = std::exchange(position_, {});
  const std::int64_t dropped = dropped_;
  messages_ = 0;
  lock.unlock();

  std::vector<protocol::Message> messages;
  if (position) messages.push_back(*position);  // first: nothing may follow a Goodbye
  std::vector<StepRow> rows;
  const auto pack = [&] {
    if (rows.empty()) return;
    for (protocol::Message& message : pack_steps(rows, dropped)) messages.push_back(std::move(message));
    rows.clear();
  };
  for (auto& item : items) {
    if (auto* row = std::get_if<StepRow>(&item)) {
      if (!rows.empty() && row->step != rows.back().step + 1) pack();
      rows.push_back(std::move(*row));
    } else {
      pack();
      messages.push_back(std::move(std::get<protocol::Message>(item)));
    }
  }
  pack();
  return messages;
}

}  // namespace batchscope::replica
