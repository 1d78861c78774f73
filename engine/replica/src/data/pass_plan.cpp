// SPDX-License-Identifier: Apache-2.0
#include "data/pass_plan.h"

#include <algorithm>

namespace batchscope::replica {

std::int64_t PassPlan::micro_batches() const {
  const std::int64_t left = shape_.dataset_size - shape_.start;
  return shape_.drop_last ? left / full() : (left + full() - 1) / full();
}

std::int64_t PassPlan::last_position() const {
  return std::min(shape_.dataset_size, shape_.start + micro_batches() * full());
}

MicroBatch PassPlan::at(std::int64_t number) const {
  const std::int64_t most = shape_.accumulation_steps + 1;
  const std::int64_t first = number / most * most;  // of its step
  const std::int64_t after = std::min(first + most, micro_batches());
  const auto position = [&](std::int64_t n) { return std::min(shape_.start + n * full(), last_position()); };
  MicroBatch batch;
  batch.from = position(number);
  batch.to = position(number + 1);
  batch.micro_step = static_cast<int>(number - first);
  batch.optimizer_step = number + 1 == after;
  batch.step_micro_batches = static_cast<int>(after - first);
  batch.step_from = position(first);
  batch.step_to = position(after);
  return batch;
}

std::int64_t PassPlan::count(const MicroBatch& batch, int rank) const {
  return std::max<std::int64_t>(0, (batch.samples() - rank + shape_.replicas - 1) / shape_.replicas);
}

std::vector<std::int64_t> PassPlan::positions(const MicroBatch& batch, int rank) const {
  std::vector<std::int64_t> mine;
  mine.reserve(static_cast<std::size_t>(count(batch, rank)));
  for (std::int64_t at = batch.from + rank; at < batch.to; at += shape_.replicas) mine.push_back(at);
  return mine;
}

int PassPlan::idle_replicas(const MicroBatch& batch) const {
  return static_cast<int>(std::max<std::int64_t>(0, shape_.replicas - batch.samples()));
}

double PassPlan::weight(const MicroBatch& batch, int rank) const {
  return static_cast<double>(count(batch, rank)) * shape_.replicas * batch.step_micro_batches /
         static_cast<double>(batch.step_to - batch.step_from);
}

bool PassPlan::even(const MicroBatch& batch) const {
  return batch.step_to - batch.step_from == batch.step_micro_batches * full();
}

}  // namespace batchscope::replica
