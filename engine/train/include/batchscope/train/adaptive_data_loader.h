// SPDX-License-Identifier: Apache-2.0
/// \file
/// AdaptiveDataLoader: batches of a map-style dataset, shared among the replicas by the ElasticSampler, of
/// a size that follows goodput (autoscale_batch_size), resumable at any sample after a restart on any number
/// of replicas. Its iterator is also where replicas agree to checkpoint and to stop (AdaptDL's data.py). A
/// restart happens between two optimizer steps, never in the middle of accumulation.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <iterator>
#include <vector>

#include "batchscope/replica/adaptive_data_loader_helper.h"

namespace batchscope {

/// One micro-batch of one replica.
struct Batch {
  at::Tensor data;    ///< [n, ...]
  at::Tensor target;  ///< [n, ...]
  /// Real samples: data.size(0), or 0 where the one row is padding that keeps replicas aligned.
  std::int64_t count = 0;
  std::int64_t size() const { return count; }  ///< as count
};

/// A map-style dataset: derive from it for data of your own.
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual std::int64_t size() const = 0;  ///< samples; the same number at every call
  /// One batch of the samples with these indices (0 to size() - 1), in their order. Called from prefetching
  /// threads too, several at a time. What it throws is thrown in the loop.
  virtual Batch collate(const std::vector<std::int64_t>& indices) const = 0;
};

/// Rows of two tensors, on any device: gathered by index_select.
class TensorDataset : public Dataset {
 public:
  TensorDataset(at::Tensor data, at::Tensor target);  ///< same first dimension, else Error(usage)
  std::int64_t size() const override;                 ///< rows of the tensors
  Batch collate(const std::vector<std::int64_t>& indices) const override;

 private:
  at::Tensor data_, target_;
};

/// A loader over one dataset. Not thread-safe.
class AdaptiveDataLoader : public AdaptiveDataLoaderMixin {
 public:
  /// What to load, and how.
  struct Options {
    std::int64_t batch_size = 1;  ///< total, over all replicas; the scale S is relative to it
    bool shuffle = false;         ///< anew at every pass; see ElasticSampler
    bool drop_last = false;       ///< leaves out a short last micro-batch
    int num_workers = 0;          ///< prefetching threads; 0: batches are collated when they are asked for
    bool pin_memory = true;       ///< with replica_device() a GPU, batches on the CPU are in pinned memory
    bool training = true;         ///< false: for validation; no padding, no batch-size adaptation, no profile
  };

  /// The dataset must outlive the loader. Throws Error(usage) for an empty dataset, a batch size below 1,
  /// inside a loop, and where drop_last leaves nothing of the dataset. Collective.
  AdaptiveDataLoader(const Dataset& dataset, const Options& options);

  /// A running loop. Copies share it.
  using Iterator = LoopIterator<Batch>;

  /// One loop over the data; for training inside an epoch of remaining_epochs_until. Empty when the loop was
  /// finished before a restart. A loop that is left by `break` counts as finished, one left by an exception
  /// does not and goes on where it was when it is begun again. With drop_last a short last micro-batch is
  /// left out. Throws Error(usage) when another loop is still running.
  Iterator begin();
  std::default_sentinel_t end() const { return {}; }  ///< of any loop

 private:
  const Dataset& dataset_;
  int workers_;
  bool pinned_;
};

}  // namespace batchscope
