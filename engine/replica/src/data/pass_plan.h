// SPDX-License-Identifier: Apache-2.0
//
// How one pass over a dataset is cut: pure arithmetic, no process, no tensor. A global micro-batch takes the
// next local_batch_size * replicas positions of the pass's permutation, and within it rank r the positions
// from + r, from + r + K, ...: the ElasticSampler's order. accumulation_steps + 1 micro-batches make an
// optimizer step. At the end of a pass the last micro-batch may be short and the last step may have fewer
// micro-batches; a step never crosses a pass. Padding has no position: each is consumed by exactly one rank.
#pragma once

#include <cstdint>
#include <vector>

namespace batchscope::replica {

struct PassShape {
  std::int64_t dataset_size = 1;
  int replicas = 1;
  std::int64_t local_batch_size = 1;
  int accumulation_steps = 0;
  std::int64_t start = 0;  // position in the pass from which on it is cut
  bool drop_last = false;  // a micro-batch that would be short is left out
};

struct MicroBatch {
  std::int64_t from = 0, to = 0;            // positions, of all replicas together
  int micro_step = 0;                       // within its optimizer step
  bool optimizer_step = true;               // the last of its step
  int step_micro_batches = 1;               // in this optimizer step
  std::int64_t step_from = 0, step_to = 0;  // positions of the whole optimizer step

  std::int64_t samples() const { return to - from; }
};

class PassPlan {
 public:
  explicit PassPlan(const PassShape& shape) : shape_(shape) {}

  const PassShape& shape() const { return shape_; }
  std::int64_t micro_batches() const;
  MicroBatch at(std::int64_t number) const;

  // Positions of one rank, and how many they are.
  std::vector<std::int64_t> positions(const MicroBatch& batch, int rank) const;
  std::int64_t count(const MicroBatch& batch, int rank) const;
  // How many ranks have none.
  int idle_replicas(const MicroBatch& batch) const;

  // The weight of the mean gradient of `rank` in this micro-batch, such that averaging the weighted gradients
  // over all replicas and micro-batches of the step gives the mean over the step's samples.
  double weight(const MicroBatch& batch, int rank) const;
  // Every replica and micro-batch of its step holds local_batch_size samples.
  bool even(const MicroBatch& batch) const;

 private:
  std::int64_t full() const { return shape_.local_batch_size * shape_.replicas; }
  std::int64_t last_position() const;

  PassShape shape_;
};

}  // namespace batchscope::replica
