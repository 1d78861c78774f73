// SPDX-License-Identifier: Apache-2.0
/// \file
/// AdaptiveDataLoader: batches of a map-style dataset, shared among the replicas by the ElasticSampler, of
/// a size that follows goodput (autoscale_batch_size), resumable at any sample after a restart on any number
/// of replicas. Its iterator is also where replicas agree to checkpoint and to stop (AdaptDL's data.py). A
/// restart happens between two optimizer steps, never in the middle of accumulation.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <iterator>

#include "batchscope/replica/adaptive_data_loader_helper.h"
#include "batchscope/train/dataset.h"

namespace batchscope {

/// A loader over one dataset. Not thread-safe.
class AdaptiveDataLoader : public AdaptiveDataLoaderMixin {
 public:
  /// Options of loading.
  struct Options {
    std::int64_t batch_size = 1;  ///< total, over all replicas; the scale S is relative to it
    bool shuffle = false;         ///< another order at every pass; see ElasticSampler
    bool drop_last = false;       ///< leaves out a short last micro-batch
    int num_workers = 0;          ///< prefetching threads; 0: batches are collated when they are asked for
    bool pin_memory = true;       ///< with replica_device() a GPU, batches on the CPU are in pinned memory
    bool training = true;         ///< false: for validation; no padding, no batch-size adaptation, no profile
    int prefetch_factor = 2;      ///< batches that each worker has ready or in the making, at least 1
    /// Called on each worker's thread with its number, from 0, before its first batch of every pass. What it
    /// throws is thrown in the loop.
    std::function<void(int worker)> worker_init_fn = {};
    /// How long the loop waits for a worker's batch; 0: for ever. After that time it throws Error(timeout),
    /// and first reports it in a notice: a thread cannot be killed, and leaving the loop waits for it.
    std::chrono::milliseconds timeout{0};
  };

  /// The dataset must outlive the loader. Throws Error(usage) for an empty dataset, a batch size below 1,
  /// inside a loop, where drop_last leaves nothing of the dataset, and for workers that make no sense (a
  /// time-out needs some). Collective.
  AdaptiveDataLoader(const Dataset& dataset, const Options& options);

  /// A running loop. Copies share it.
  using Iterator = LoopIterator<Batch>;

  /// Begins one loop over the data; for training inside an epoch of remaining_epochs_until. The loop is empty
  /// where it was finished before a restart. A loop that is left by `break` counts as finished; one that is
  /// left by an exception does not, and when it is begun again it goes on where it was. With drop_last a
  /// short last micro-batch is left out. Throws Error(usage) when another loop is still running.
  Iterator begin();
  std::default_sentinel_t end() const { return {}; }  ///< of any loop

 private:
  const Dataset& dataset_;
  Options options_;
};

}  // namespace batchscope
